// The least a test without a framework needs: counted expectations and one line of result.
#pragma once

#include <cstdio>

namespace ontomem::test {

class Tally {
 public:
  void expect(bool holds, const char* behaviour, const char* file, int line) {
    ++(holds ? passed_ : failed_);
    if (!holds) std::fprintf(stderr, "%s:%d: %s\n", file, line, behaviour);
  }

  /// Prints the result and gives the exit code.
  int report(const char* test) const {
    std::printf("{\"test\":\"%s\",\"passed\":%d,\"failed\":%d}\n", test, passed_, failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  int passed_ = 0;
  int failed_ = 0;
};

inline Tally& tally() {
  static Tally tally;
  return tally;
}

}  // namespace ontomem::test

#define EXPECT(condition, behaviour) \
  ::ontomem::test::tally().expect(static_cast<bool>(condition), behaviour, __FILE__, __LINE__)
