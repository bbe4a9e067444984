// What a call of the core can answer besides success. The core never lets an exception out.
#pragma once

namespace ontomem {

enum class Status : int {
  ok = 0,
  staleHandle,
  badArgument,
  notFinite,
  outOfMemory,
  limitExceeded,
};

/// The stable `code` of the JavaScript error that a status becomes.
constexpr const char* statusCode(Status status) {
  switch (status) {
    case Status::ok: return "OK";
    case Status::staleHandle: return "NATIVE_STALE_HANDLE";
    case Status::badArgument: return "NATIVE_BAD_ARGUMENT";
    case Status::notFinite: return "NATIVE_NOT_FINITE";
    case Status::outOfMemory: return "NATIVE_OUT_OF_MEMORY";
    case Status::limitExceeded: return "NATIVE_LIMIT_EXCEEDED";
  }
  return "NATIVE_FAILED";
}

/// A status with the argument it is about; `problem` is a string literal.
struct [[nodiscard]] Outcome {
  Status status = Status::ok;
  const char* problem = "";

  constexpr bool ok() const { return status == Status::ok; }
};

constexpr Outcome badArgument(const char* problem) { return {Status::badArgument, problem}; }

}  // namespace ontomem
