// Room on the disk behind the end of a file, taken before it is written to.
#pragma once

#include <cstdint>

namespace ontomem {

/// Has the file system set `[from, to)` of the file at `path` (UTF-8) aside, holes included; its length
/// stays. Where a file system cannot promise room, and outside Linux, nothing is set aside.
/// @returns 0, or the errno of the refusal: ENOSPC, EDQUOT, EIO, ENOENT, EACCES.
int reserveRoom(const char* path, std::uint64_t from, std::uint64_t to) noexcept;

/// Gives what is set aside behind the end of the file back.
void releaseRoom(const char* path) noexcept;

}  // namespace ontomem
