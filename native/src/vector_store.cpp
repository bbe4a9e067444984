#include "ontomem/vector_store.hpp"

#include <algorithm>
#include <cstring>

namespace ontomem {
namespace {

/// Blocks start on whole words of the excluded bitset.
constexpr std::size_t kRowsPerWord = 64;
/// A growing shard adds a quarter of itself a block: at most a fifth of its vectors is slack, and the
/// number of blocks stays logarithmic. Below one word of rows it grows by half and is copied, so that a
/// user of three turns pays for three.
constexpr std::size_t kGrowthDivisor = 4;

constexpr std::size_t roundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

VectorStore::VectorStore(std::size_t dimension, VectorFormat format)
    : blocks_(std::make_shared<std::vector<VectorBlock>>()), dimension_(dimension), format_(format) {}

VectorBlock VectorStore::makeBlock(const std::shared_ptr<MemoryAccount>& account, std::size_t firstRow,
                                   std::size_t capacity) const {
  VectorBlock block{};
  block.firstRow = static_cast<std::uint32_t>(firstRow);
  block.capacity = static_cast<std::uint32_t>(capacity);
  if (format_ != VectorFormat::bf16) {
    block.f32 = SharedArray<float>(account, capacity * stride(VectorFormat::f32));
  } else {
    block.bf16 = SharedArray<std::uint16_t>(account, capacity * stride(VectorFormat::bf16));
  }
  if (format_ == VectorFormat::int8) {
    block.int8 = SharedArray<std::int8_t>(account, capacity * stride(VectorFormat::int8));
    block.int8Scales = SharedArray<float>(account, capacity);
    block.int8Sums = SharedArray<std::int32_t>(account, capacity);
  }
  return block;
}

void VectorStore::reserve(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                          std::size_t extra) {
  const std::size_t capacity = blocks_->empty() ? 0 : blocks_->back().firstRow + blocks_->back().capacity;
  if (rows + extra <= capacity) return;
  auto blocks = std::make_shared<std::vector<VectorBlock>>();
  if (capacity < kRowsPerWord) {
    const std::size_t wanted = std::max(rows + extra, rows + rows / 2);
    blocks->push_back(
        grownBlock(account, rows, wanted < kRowsPerWord ? wanted : roundUp(wanted, kRowsPerWord)));
  } else {
    const std::size_t missing = rows + extra - capacity;
    *blocks = *blocks_;
    blocks->push_back(
        makeBlock(account, capacity, roundUp(std::max(missing, rows / kGrowthDivisor), kRowsPerWord)));
  }
  blocks_ = std::move(blocks);
}

VectorBlock VectorStore::grownBlock(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                                    std::size_t capacity) const {
  VectorBlock grown = makeBlock(account, 0, capacity);
  if (rows == 0) return grown;
  const VectorBlock& old = blocks_->front();
  const auto copy = [rows](const auto& into, const auto& out, std::size_t elements) {
    if (out) std::memcpy(into.data(), out.data(), rows * elements * sizeof(into[0]));
  };
  copy(grown.f32, old.f32, stride(VectorFormat::f32));
  copy(grown.bf16, old.bf16, stride(VectorFormat::bf16));
  copy(grown.int8, old.int8, stride(VectorFormat::int8));
  copy(grown.int8Scales, old.int8Scales, 1);
  copy(grown.int8Sums, old.int8Sums, 1);
  return grown;
}

void VectorStore::append(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                         const float* vectors, std::size_t count) {
  reserve(account, rows, count);
  const kernels::Kernels& kernel = kernels::active();
  while (count != 0) {
    const VectorBlock& block = blockOf(rows);
    const std::size_t at = rows - block.firstRow;
    const std::size_t here = std::min<std::size_t>(count, block.capacity - at);
    if (block.f32) {
      const std::size_t f32Stride = stride(VectorFormat::f32);
      kernel.padF32(vectors, dimension_, here, dimension_, block.f32.data() + at * f32Stride, f32Stride);
    }
    if (block.bf16) {
      const std::size_t bf16Stride = stride(VectorFormat::bf16);
      kernel.quantiseBf16(vectors, dimension_, here, dimension_, block.bf16.data() + at * bf16Stride,
                          bf16Stride);
    }
    if (block.int8) {
      const std::size_t int8Stride = stride(VectorFormat::int8);
      kernel.quantiseInt8(vectors, dimension_, here, dimension_, block.int8.data() + at * int8Stride,
                          int8Stride, block.int8Scales.data() + at, block.int8Sums.data() + at);
    }
    vectors += here * dimension_;
    rows += here;
    count -= here;
  }
}

void VectorStore::copyRow(std::size_t row, const VectorStore& source, std::size_t from) const noexcept {
  const VectorBlock& target = blockOf(row);
  const VectorBlock& origin = source.blockOf(from);
  const std::size_t to = row - target.firstRow;
  const std::size_t at = from - origin.firstRow;
  const auto copy = [&](const auto& into, const auto& out, std::size_t elements) {
    std::memcpy(into.data() + to * elements, out.data() + at * elements, elements * sizeof(into[0]));
  };
  if (target.f32) copy(target.f32, origin.f32, stride(VectorFormat::f32));
  if (target.bf16) copy(target.bf16, origin.bf16, stride(VectorFormat::bf16));
  if (target.int8) {
    copy(target.int8, origin.int8, stride(VectorFormat::int8));
    copy(target.int8Scales, origin.int8Scales, 1);
    copy(target.int8Sums, origin.int8Sums, 1);
  }
}

kernels::F32Rows VectorStore::f32Rows(const VectorBlock& block, std::size_t rows,
                                      kernels::Residency residency) const noexcept {
  const std::size_t count = std::min<std::size_t>(block.capacity, rows - block.firstRow);
  return {block.f32.data(), stride(VectorFormat::f32), count, dimension_, residency};
}

kernels::Bf16Rows VectorStore::bf16Rows(const VectorBlock& block, std::size_t rows,
                                        kernels::Residency residency) const noexcept {
  const std::size_t count = std::min<std::size_t>(block.capacity, rows - block.firstRow);
  return {block.bf16.data(), stride(VectorFormat::bf16), count, dimension_, residency};
}

kernels::Int8Rows VectorStore::int8Rows(const VectorBlock& block, std::size_t rows,
                                        kernels::Residency residency) const noexcept {
  const std::size_t count = std::min<std::size_t>(block.capacity, rows - block.firstRow);
  return {block.int8.data(),       stride(VectorFormat::int8), count, dimension_,
          block.int8Scales.data(), block.int8Sums.data(),      residency};
}

const VectorBlock& VectorStore::blockOf(std::size_t row) const noexcept {
  const auto after =
      std::upper_bound(blocks_->begin(), blocks_->end(), row,
                       [](std::size_t value, const VectorBlock& block) { return value < block.firstRow; });
  return *std::prev(after);
}

}  // namespace ontomem
