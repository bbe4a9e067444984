// Exclusive locks between processes, and between threads of one: the kernel drops them with the process.
#pragma once

namespace ontomem {

/// What openFileLock gives instead of a ticket.
inline constexpr int kFileLockUnwritable = -2;
inline constexpr int kFileLockAbsent = -3;

/// Opens `path` (UTF-8) as a lock, made when it is absent and may be made; a folder that may only be read
/// serves when the file is there. Every opening is a holder of its own, also within one thread.
/// @returns a ticket >= 0, kFileLockUnwritable, or kFileLockAbsent when there is no such folder.
int openFileLock(const char* path) noexcept;

/// Takes the lock unless another opening holds it; never waits. @returns true when it is held by `ticket`.
bool tryFileLock(int ticket) noexcept;

/// As tryFileLock, but waits up to `milliseconds`: for moments in which no event loop runs any more.
bool waitFileLock(int ticket, int milliseconds) noexcept;

void releaseFileLock(int ticket) noexcept;

/// Gives the lock back, when it is held, and the ticket.
void closeFileLock(int ticket) noexcept;

}  // namespace ontomem
