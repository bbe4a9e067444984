#include "ontomem/file_room.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ontomem {
namespace {

int openToWrite(const char* path) noexcept { return open(path, O_RDWR | O_CLOEXEC); }

}  // namespace

int reserveRoom(const char* path, std::uint64_t from, std::uint64_t to) noexcept {
  const int file = openToWrite(path);
  if (file < 0) return errno;
  int problem = 0;
  do {
    const int made = fallocate(file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(to - from));
    problem = made == 0 ? 0 : errno;
  } while (problem == EINTR);
  close(file);
  // Not every file system has it: then a write finds out.
  return problem == EOPNOTSUPP || problem == ENOSYS || problem == EINVAL ? 0 : problem;
}

void releaseRoom(const char* path) noexcept {
  const int file = openToWrite(path);
  if (file < 0) return;
  struct stat found {};
  // Cutting a file to the length it has frees the blocks behind it.
  if (fstat(file, &found) == 0) {
    [[maybe_unused]] const int cut = ftruncate(file, found.st_size);
  }
  close(file);
}

}  // namespace ontomem

#else

namespace ontomem {

int reserveRoom(const char*, std::uint64_t, std::uint64_t) noexcept { return 0; }
void releaseRoom(const char*) noexcept {}

}  // namespace ontomem

#endif
