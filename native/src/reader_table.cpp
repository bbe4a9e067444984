// One kept descriptor a reader table and process; see the header for why.
#include "ontomem/reader_table.hpp"

#ifdef _WIN32

namespace ontomem {

// Windows locks belong to a handle, so closing another one drops nothing, and mapped files have no holes.
int holdReaderTable(const char*) noexcept { return 0; }
void markReaderTable(int) noexcept {}
void dropReaderTable(int) noexcept {}

}  // namespace ontomem

#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <new>
#include <unordered_map>

namespace ontomem {
namespace {

constexpr mode_t kOwnerOnly = 0600;
/// What LMDB gives a table of 126 readers.
constexpr off_t kTableBytes = 8272;

struct Kept {
  dev_t device;
  ino_t inode;
  int openings;
};

/// By descriptor, which is the ticket.
struct Tables {
  std::mutex mutex;
  std::unordered_map<int, Kept> kept;

  static Tables& process() {
    // Never destroyed: a thread may still close a store while the process ends.
    static Tables& tables = *new Tables;
    return tables;
  }
};

/// False only when the disk is full: a file system that cannot do it is left as it is.
bool giveBlocks(int file) {
#ifdef __linux__
  int failed = 0;
  do failed = fallocate(file, 0, 0, kTableBytes);
  while (failed != 0 && errno == EINTR);
  return failed == 0 || (errno != ENOSPC && errno != EDQUOT);
#else
  (void)file;
  return true;
#endif
}

void mark(int file) {
  struct flock shared {};
  shared.l_type = F_RDLCK;
  shared.l_whence = SEEK_SET;
  shared.l_len = 1;
  while (fcntl(file, F_SETLK, &shared) != 0 && errno == EINTR) {
  }
}

}  // namespace

int holdReaderTable(const char* path) noexcept {
  try {
    Tables& tables = Tables::process();
    const std::lock_guard lock(tables.mutex);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (file < 0) return errno == ENOSPC || errno == EDQUOT ? kReaderTableNoRoom : kReaderTableUnwritable;
    struct stat status {};
    fstat(file, &status);
    for (auto& [ticket, kept] : tables.kept) {
      if (kept.device != status.st_dev || kept.inode != status.st_ino) continue;
      ++kept.openings;
      close(file);
      mark(ticket);
      return ticket;
    }
    if (!giveBlocks(file)) {
      close(file);
      return kReaderTableNoRoom;
    }
    tables.kept.emplace(file, Kept{status.st_dev, status.st_ino, 1});
    return file;
  } catch (const std::bad_alloc&) {
    return kReaderTableNoRoom;
  }
}

void markReaderTable(int ticket) noexcept { mark(ticket); }

void dropReaderTable(int ticket) noexcept {
  Tables& tables = Tables::process();
  const std::lock_guard lock(tables.mutex);
  const auto found = tables.kept.find(ticket);
  if (found == tables.kept.end()) return;
  if (--found->second.openings > 0) return;
  tables.kept.erase(found);
  close(ticket);
}

}  // namespace ontomem

#endif
