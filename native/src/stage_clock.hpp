// Times the stages of a recall and tells when its deadline has passed.
#pragma once

#include <chrono>

namespace ontomem {

class StageClock {
 public:
  explicit StageClock(double deadlineUs) : start_(Clock::now()), mark_(start_), deadlineUs_(deadlineUs) {}

  /// Microseconds since the last lap.
  double lap() {
    const auto now = Clock::now();
    const double us = std::chrono::duration<double, std::micro>(now - mark_).count();
    mark_ = now;
    return us;
  }

  /// From the start to the last lap.
  double sinceStart() const { return std::chrono::duration<double, std::micro>(mark_ - start_).count(); }

  /// As of the last lap.
  bool isLate() const { return sinceStart() > deadlineUs_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Clock::time_point mark_;
  double deadlineUs_;
};

}  // namespace ontomem
