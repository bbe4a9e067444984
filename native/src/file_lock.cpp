// flock on POSIX, LockFileEx on Windows: both are dropped by the kernel with the process.
#include "ontomem/file_lock.hpp"

#ifdef _WIN32
#include <io.h>
#include <windows.h>

#include <string>

namespace ontomem {

int takeFileLock(const char* path) noexcept {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide.data(), length);
  const HANDLE file = CreateFileW(wide.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return kFileLockUnwritable;
  OVERLAPPED place{};
  if (!LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)) {
    CloseHandle(file);
    return kFileLockHeld;
  }
  return _open_osfhandle(reinterpret_cast<intptr_t>(file), 0);
}

void releaseFileLock(int ticket) noexcept { _close(ticket); }

}  // namespace ontomem

#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace ontomem {

int takeFileLock(const char* path) noexcept {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return kFileLockUnwritable;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const bool held = errno == EWOULDBLOCK;
  close(file);
  return held ? kFileLockHeld : kFileLockUnwritable;
}

void releaseFileLock(int ticket) noexcept { close(ticket); }

}  // namespace ontomem

#endif
