// The store's writer lock.
#include "call.hpp"
#include "calls.hpp"
#include "ontomem/file_lock.hpp"

namespace ontomem::binding {
namespace {

Outcome lockFile(Environment&, Arguments& arguments, double& result) {
  const std::string path = arguments.text("path: not a string");
  if (!arguments.problem().ok()) return arguments.problem();
  if (path.find('\0') != std::string::npos) return badArgument("path: holds a zero byte");
  result = takeFileLock(path.c_str());
  return {};
}

Outcome unlockFile(Environment&, Arguments& arguments, double&) {
  const auto ticket = static_cast<int>(arguments.whole("ticket: not one of lockFile", 2147483647));
  if (!arguments.problem().ok()) return arguments.problem();
  releaseFileLock(ticket);
  return {};
}

constexpr NamedCall kCalls[] = {
    {"lockFile", numberCall<lockFile>},
    {"unlockFile", numberCall<unlockFile>},
};

}  // namespace

std::span<const NamedCall> fileCalls() { return kCalls; }

}  // namespace ontomem::binding
