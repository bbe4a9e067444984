// flock on POSIX, LockFileEx on Windows: both belong to the opening, so threads of a process meet them too.
#include "ontomem/file_lock.hpp"

#include <chrono>
#include <thread>

#ifdef _WIN32
#include <io.h>
#include <windows.h>

#include <string>

namespace ontomem {

namespace {
HANDLE handleOf(int ticket) { return reinterpret_cast<HANDLE>(_get_osfhandle(ticket)); }
}  // namespace

int openFileLock(const char* path) noexcept {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide.data(), length);
  const HANDLE file = CreateFileW(wide.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    return GetLastError() == ERROR_PATH_NOT_FOUND ? kFileLockAbsent : kFileLockUnwritable;
  }
  return _open_osfhandle(reinterpret_cast<intptr_t>(file), 0);
}

bool tryFileLock(int ticket) noexcept {
  OVERLAPPED place{};
  return LockFileEx(handleOf(ticket), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place);
}

void releaseFileLock(int ticket) noexcept {
  OVERLAPPED place{};
  UnlockFileEx(handleOf(ticket), 0, 1, 0, &place);
}

void closeFileLock(int ticket) noexcept { _close(ticket); }

}  // namespace ontomem

#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace ontomem {

namespace {
/// For the owner alone: the files of a store hold what people said.
constexpr mode_t kOwnerOnly = 0600;
}  // namespace

int openFileLock(const char* path) noexcept {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (file >= 0) return file;
  if (errno == ENOENT || errno == ENOTDIR) return kFileLockAbsent;
  // flock asks for no right to write, so a reader of a folder it may not write to takes part in the lock.
  file = open(path, O_RDONLY | O_CLOEXEC);
  return file >= 0 ? file : kFileLockUnwritable;
}

bool tryFileLock(int ticket) noexcept {
  int failed = 0;
  do failed = flock(ticket, LOCK_EX | LOCK_NB);
  while (failed != 0 && errno == EINTR);
  return failed == 0;
}

void releaseFileLock(int ticket) noexcept { flock(ticket, LOCK_UN); }

void closeFileLock(int ticket) noexcept { close(ticket); }

}  // namespace ontomem

#endif

namespace ontomem {

bool waitFileLock(int ticket, int milliseconds) noexcept {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!tryFileLock(ticket)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace ontomem
