// The files of a store: locks between processes, between threads and as a thread ends; room on the disk.
#include <cstdint>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/file_lock.hpp"
#include "ontomem/file_room.hpp"
#include "ontomem/reader_table.hpp"

namespace ontomem::binding {
namespace {

constexpr double kMostTicket = 2147483647;
/// Longer than any opening or commit; past it a dying thread goes on without the lock.
constexpr int kEndOfThreadWaitMs = 5000;

Outcome pathOf(Arguments& arguments, std::string& path) {
  path = arguments.text("path: not a string");
  if (!arguments.problem().ok()) return arguments.problem();
  return path.find('\0') == std::string::npos ? Outcome{} : badArgument("path: holds a zero byte");
}

/// A descriptor as a hook's argument: no memory to own.
void* ticketPointer(int ticket) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(ticket)); }

void takeAtEnd(void* ticket) {
  (void)waitFileLock(static_cast<int>(reinterpret_cast<std::intptr_t>(ticket)), kEndOfThreadWaitMs);
}

/// Runs `act(ticket)` on a ticket that `held` knows.
template <class Act>
Outcome withTicket(const TicketSet& held, Arguments& arguments, Act act) {
  const auto ticket = static_cast<int>(arguments.whole("ticket: not a number", kMostTicket));
  if (!arguments.problem().ok()) return arguments.problem();
  if (!held.contains(ticket)) return badArgument("ticket: not one of this thread");
  act(ticket);
  return {};
}

Outcome openLock(Environment& environment, Arguments& arguments, double& result) {
  std::string path;
  if (const Outcome outcome = pathOf(arguments, path); !outcome.ok()) return outcome;
  const int ticket = openFileLock(path.c_str());
  if (ticket >= 0) environment.locks.insert(ticket);
  result = ticket;
  return {};
}

Outcome tryLock(Environment& environment, Arguments& arguments, double& result) {
  return withTicket(environment.locks, arguments, [&](int ticket) { result = tryFileLock(ticket) ? 1 : 0; });
}

Outcome releaseLock(Environment& environment, Arguments& arguments, double&) {
  return withTicket(environment.locks, arguments, releaseFileLock);
}

Outcome closeLock(Environment& environment, Arguments& arguments, double&) {
  return withTicket(environment.locks, arguments, [&](int ticket) {
    napi_remove_env_cleanup_hook(arguments.env(), takeAtEnd, ticketPointer(ticket));
    environment.locks.erase(ticket);
    closeFileLock(ticket);
  });
}

/// When this thread ends, the lock is taken before what was opened until now is closed. Cleanup hooks run
/// last in, first out, and the ticket goes with the Environment, which goes after all of them.
Outcome lockAtEnd(Environment& environment, Arguments& arguments, double&) {
  return withTicket(environment.locks, arguments, [&](int ticket) {
    napi_remove_env_cleanup_hook(arguments.env(), takeAtEnd, ticketPointer(ticket));
    napi_add_env_cleanup_hook(arguments.env(), takeAtEnd, ticketPointer(ticket));
  });
}

Outcome holdReaders(Environment& environment, Arguments& arguments, double& result) {
  std::string path;
  if (const Outcome outcome = pathOf(arguments, path); !outcome.ok()) return outcome;
  const int ticket = holdReaderTable(path.c_str());
  if (ticket >= 0) environment.readerTables.insert(ticket);
  result = ticket;
  return {};
}

Outcome markReaders(Environment& environment, Arguments& arguments, double&) {
  return withTicket(environment.readerTables, arguments, markReaderTable);
}

Outcome dropReaders(Environment& environment, Arguments& arguments, double&) {
  return withTicket(environment.readerTables, arguments, [&](int ticket) {
    environment.readerTables.erase(environment.readerTables.find(ticket));
    dropReaderTable(ticket);
  });
}

/// Whole numbers of bytes up to here are exact in JavaScript.
constexpr double kMostBytes = 9007199254740991;

Outcome reserve(Environment&, Arguments& arguments, double& result) {
  std::string path;
  if (const Outcome outcome = pathOf(arguments, path); !outcome.ok()) return outcome;
  const double from = arguments.whole("from: not a number of bytes", kMostBytes);
  const double to = arguments.whole("to: not a number of bytes", kMostBytes);
  if (!arguments.problem().ok()) return arguments.problem();
  if (to <= from) return badArgument("to: not behind from");
  result = reserveRoom(path.c_str(), static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
  return {};
}

Outcome release(Environment&, Arguments& arguments, double&) {
  std::string path;
  if (const Outcome outcome = pathOf(arguments, path); !outcome.ok()) return outcome;
  releaseRoom(path.c_str());
  return {};
}

constexpr NamedCall kCalls[] = {
    {"openLock", numberCall<openLock>},       {"tryLock", numberCall<tryLock>},
    {"releaseLock", numberCall<releaseLock>}, {"closeLock", numberCall<closeLock>},
    {"lockAtEnd", numberCall<lockAtEnd>},     {"holdReaders", numberCall<holdReaders>},
    {"markReaders", numberCall<markReaders>}, {"dropReaders", numberCall<dropReaders>},
    {"reserveRoom", numberCall<reserve>},     {"releaseRoom", numberCall<release>},
};

}  // namespace

std::span<const NamedCall> fileCalls() { return kCalls; }

}  // namespace ontomem::binding
