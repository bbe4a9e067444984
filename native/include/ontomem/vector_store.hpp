// The vectors of a shard, in blocks that never move, in one of three formats.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ontomem/buffer.hpp"
#include "ontomem/kernels.hpp"
#include "ontomem/node.hpp"

namespace ontomem {

/// What a shard keeps of each vector. `int8` keeps the quantised rows for the scan and the f32 rows for
/// exact rescoring: 1.25 times the memory of f32, about a quarter of its scan time.
using VectorFormat = kernels::Format;

/// From so many rows on an int8 shard scans its quantised rows. Below, rescoring costs what the scan
/// saves (1k x 384: 13 us against 17), and few rows spread too little to be told apart by 8 bits.
inline constexpr std::size_t kLeastQuantisedRows = 1024;

/// Rows [firstRow, firstRow + capacity). Blocks start at multiples of 64 rows, so that a slice of the
/// shard's excluded bits is the block's own; only the first may be shorter than that, while it is alone.
struct VectorBlock {
  std::uint32_t firstRow;
  std::uint32_t capacity;
  SharedArray<float> f32;
  SharedArray<std::uint16_t> bf16;
  SharedArray<std::int8_t> int8;
  SharedArray<float> int8Scales;
  SharedArray<std::int32_t> int8Sums;
};

/// Append-only; copies share the blocks. A writer fills rows past every snapshot's count in place.
class VectorStore {
 public:
  VectorStore() : blocks_(std::make_shared<std::vector<VectorBlock>>()) {}
  VectorStore(std::size_t dimension, VectorFormat format);

  std::size_t dimension() const noexcept { return dimension_; }
  VectorFormat format() const noexcept { return format_; }
  const std::vector<VectorBlock>& blocks() const noexcept { return *blocks_; }

  /// Writes `count` vectors [count][dimension] as rows from `rows` on. Throws std::bad_alloc before it
  /// changes anything a snapshot can see. Precondition: all values finite.
  void append(const std::shared_ptr<MemoryAccount>& account, std::size_t rows, const float* vectors,
              std::size_t count);

  /// Copies row `from` of another store of the same kind to `row`; used by compaction.
  void copyRow(std::size_t row, const VectorStore& source, std::size_t from) const noexcept;
  /// Room for `extra` rows behind the first `rows`. Throws std::bad_alloc and is then unchanged.
  void reserve(const std::shared_ptr<MemoryAccount>& account, std::size_t rows, std::size_t extra);

  /// Views of one block cut to the shard's `rows`.
  kernels::F32Rows f32Rows(const VectorBlock& block, std::size_t rows,
                           kernels::Residency residency = kernels::Residency::automatic) const noexcept;
  kernels::Bf16Rows bf16Rows(const VectorBlock& block, std::size_t rows,
                             kernels::Residency residency = kernels::Residency::automatic) const noexcept;
  kernels::Int8Rows int8Rows(const VectorBlock& block, std::size_t rows,
                             kernels::Residency residency = kernels::Residency::automatic) const noexcept;

  /// The format to scan a shard of `rows` rows in.
  VectorFormat scanFormat(std::size_t rows) const noexcept {
    return format_ == VectorFormat::int8 && rows < kLeastQuantisedRows ? VectorFormat::f32 : format_;
  }

  /// The block that holds `row`. O(log blocks).
  const VectorBlock& blockOf(std::size_t row) const noexcept;

 private:
  /// The first `rows` rows of the only block, in a new one.
  VectorBlock grownBlock(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                         std::size_t capacity) const;
  VectorBlock makeBlock(const std::shared_ptr<MemoryAccount>& account, std::size_t firstRow,
                        std::size_t capacity) const;
  std::size_t stride(VectorFormat format) const noexcept {
    return kernels::paddedStride(format, dimension_);
  }

  std::shared_ptr<const std::vector<VectorBlock>> blocks_;
  std::size_t dimension_ = 0;
  VectorFormat format_ = VectorFormat::f32;
};

}  // namespace ontomem
