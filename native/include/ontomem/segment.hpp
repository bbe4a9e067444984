// Rows of a scope as they lie packed on disk: read without decoding, checksummed as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ontomem/shard.hpp"
#include "ontomem/status.hpp"

namespace ontomem {

/// Little-endian, every column aligned to its type: header of 64 bytes, then atMs f64 [count], term hashes u64
/// [terms], vectors f32 [count][dimension], then u32 columns [count]: stored, session, speaker, flags,
/// length; then termRows u32 [terms] and termCounts u16 [terms]. Terms are sorted by hash, then row, so that
/// a load sorts nothing.
struct SegmentHeader {
  std::uint32_t magic;
  std::uint32_t dimension;
  std::uint32_t count;
  std::uint32_t terms;
  /// Of everything behind the header, and of the four numbers above.
  std::uint64_t checksum;
  std::uint8_t reserved[40];
};
static_assert(sizeof(SegmentHeader) == 64);

/// Bytes of a segment of so many rows and terms.
constexpr std::size_t segmentBytes(std::size_t dimension, std::size_t count, std::size_t terms) {
  return sizeof(SegmentHeader) + count * dimension * sizeof(float) + count * (8 + 5 * 4) + terms * (8 + 4 + 2);
}

/// Packs a batch (terms turn by turn, `stored` told) into `out`, which has segmentBytes of it.
/// Throws std::bad_alloc.
Outcome packSegment(std::size_t dimension, const RowBatch& batch, std::span<std::byte> out);

/// A view of a packed batch, valid as long as `bytes`. Refuses what is cut, foreign, changed or of another
/// dimension, and bytes that are not aligned to 8.
Outcome readSegment(std::span<const std::byte> bytes, std::size_t dimension, RowBatch& batch);

}  // namespace ontomem
