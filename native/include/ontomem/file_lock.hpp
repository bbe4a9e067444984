// An exclusive lock on a file that the operating system drops when the process dies, however it dies.
#pragma once

namespace ontomem {

/// Someone else holds the lock, in this process or another.
inline constexpr int kFileLockHeld = -1;
/// The file cannot be opened or created for writing.
inline constexpr int kFileLockUnwritable = -2;

/// Takes the lock on the file at `path` (UTF-8), creating it when absent; never waits.
/// Returns a ticket >= 0 for releaseFileLock, kFileLockHeld or kFileLockUnwritable.
int takeFileLock(const char* path) noexcept;

/// Gives a lock back. The file stays: removing it would let two writers lock two files of one name.
void releaseFileLock(int ticket) noexcept;

}  // namespace ontomem
