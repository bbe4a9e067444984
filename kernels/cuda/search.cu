// Exact batched top-k: a tiled product into a score matrix, then one block a query selects.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "device.hpp"

namespace ontomem::cuda {

struct Matrix {
  DeviceArray<float> rows;
  std::size_t stride, count, dimension;
};

namespace {

using kernels::Hit;
using Key = unsigned long long;

constexpr int kTile = 64;      // rows and queries a block of the product
constexpr int kDepth = 16;     // elements of both held in shared memory
constexpr int kThreads = 256;  // 16 x 16 threads, 4 x 4 scores each
constexpr int kSelectThreads = 512;
constexpr std::size_t kQueryGroup = kTile;

/// scores[query][row] = <row, query>. Grid: tiles of rows x tiles of queries.
__global__ void scoreTiles(const float* rows, std::size_t stride, std::size_t rowCount, const float* queries,
                           std::size_t queryCount, std::size_t dimension, float* scores) {
  // One more column than needed: threads of a warp then write to different banks.
  __shared__ float rowTile[kDepth][kTile + 1];
  __shared__ float queryTile[kDepth][kTile + 1];
  const std::size_t firstRow = static_cast<std::size_t>(blockIdx.x) * kTile;
  const std::size_t firstQuery = static_cast<std::size_t>(blockIdx.y) * kTile;
  const int lane = threadIdx.x % 16, group = threadIdx.x / 16;
  float sums[4][4] = {};
  for (std::size_t depth = 0; depth < dimension; depth += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int at = i / kDepth, element = i % kDepth;
      const bool inside = depth + element < dimension;
      rowTile[element][at] = inside && firstRow + at < rowCount ? rows[(firstRow + at) * stride + depth + element] : 0.0f;
      queryTile[element][at] =
          inside && firstQuery + at < queryCount ? queries[(firstQuery + at) * dimension + depth + element] : 0.0f;
    }
    __syncthreads();
    for (int element = 0; element < kDepth; ++element) {
      for (int q = 0; q < 4; ++q) {
        const float query = queryTile[element][group * 4 + q];
        for (int r = 0; r < 4; ++r) sums[q][r] = fmaf(query, rowTile[element][lane + 16 * r], sums[q][r]);
      }
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q) {
    for (int r = 0; r < 4; ++r) {
      const std::size_t query = firstQuery + group * 4 + q, row = firstRow + lane + 16 * r;
      if (query < queryCount && row < rowCount) scores[query * rowCount + row] = sums[q][r];
    }
  }
}

/// A hit as an integer of the same order: score in the high half, then the row. Zero is no hit: it
/// would be a NaN of row 0.
__device__ Key keyOf(float score, std::size_t row) {
  const int bits = __float_as_int(score + 0.0f);
  const unsigned ordered = static_cast<unsigned>(bits ^ ((bits >> 31) & 0x7fffffff)) ^ 0x80000000u;
  return static_cast<Key>(ordered) << 32 | static_cast<unsigned>(row);
}

__device__ Hit hitOf(Key key) {
  const int ordered = static_cast<int>(static_cast<unsigned>(key >> 32) ^ 0x80000000u);
  return {__int_as_float(ordered ^ ((ordered >> 31) & 0x7fffffff)), static_cast<unsigned>(key)};
}

__device__ Key allowedKey(const float* scores, const std::uint64_t* excluded, std::size_t row) {
  if (excluded != nullptr && (excluded[row / 64] >> (row % 64) & 1) != 0) return 0;
  return keyOf(scores[row], row);
}

/// One block a query. Radix selection, eight bits a pass, finds the k-th key; keys are distinct, so
/// exactly k lie at or above it; those are gathered and sorted. k <= allowed rows, k <= kMaxK.
__global__ void selectBest(const float* allScores, std::size_t rowCount, const std::uint64_t* excluded, unsigned k,
                           Hit* hits, std::size_t hitStride) {
  __shared__ unsigned histogram[256];
  __shared__ Key best[kernels::kMaxK];
  __shared__ Key prefix;
  __shared__ unsigned wanted, gathered;
  const float* scores = allScores + blockIdx.x * rowCount;
  if (threadIdx.x == 0) prefix = 0, wanted = k, gathered = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    for (std::size_t row = threadIdx.x; row < rowCount; row += blockDim.x) {
      const Key key = allowedKey(scores, excluded, row);
      const bool matches = shift == 56 || key >> (shift + 8) == prefix >> (shift + 8);
      if (key != 0 && matches) atomicAdd(&histogram[key >> shift & 255], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = 255;
      for (; digit > 0 && histogram[digit] < wanted; --digit) wanted -= histogram[digit];
      prefix |= static_cast<Key>(digit) << shift;
    }
    __syncthreads();
  }
  for (unsigned i = threadIdx.x; i < kernels::kMaxK; i += blockDim.x) best[i] = 0;
  __syncthreads();
  for (std::size_t row = threadIdx.x; row < rowCount; row += blockDim.x) {
    const Key key = allowedKey(scores, excluded, row);
    if (key >= prefix) best[atomicAdd(&gathered, 1u)] = key;
  }
  __syncthreads();
  // Bitonic sort, descending; the unused zeros end up last.
  for (unsigned size = 2; size <= kernels::kMaxK; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      for (unsigned i = threadIdx.x; i < kernels::kMaxK; i += blockDim.x) {
        const unsigned other = i ^ distance;
        const bool descending = (i & size) == 0;
        if (other > i && (best[i] < best[other]) == descending) {
          const Key moved = best[i];
          best[i] = best[other];
          best[other] = moved;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < k; i += blockDim.x) hits[blockIdx.x * hitStride + i] = hitOf(best[i]);
}

std::size_t allowedRows(const std::uint64_t* excluded, std::size_t count) {
  if (excluded == nullptr) return count;
  std::size_t allowed = 0;
  for (std::size_t row = 0; row < count; ++row) allowed += (excluded[row / 64] >> (row % 64) & 1) == 0;
  return allowed;
}

/// One group of up to kQueryGroup queries; `packed` is [queryCount][dimension] on the host.
Status searchGroup(const Matrix& matrix, const std::vector<float>& packed, std::size_t queryCount, unsigned kept,
                   const std::uint64_t* excluded, std::size_t hitStride, Hit* hits) {
  DeviceArray<float> queries, scores;
  DeviceArray<Hit> found;
  if (const Status status = queries.fill(packed.data(), packed.size()); status != Status::ok) return status;
  if (const Status status = scores.allocate(queryCount * matrix.count); status != Status::ok) return status;
  if (const Status status = found.allocate(queryCount * hitStride); status != Status::ok) return status;
  const dim3 grid(static_cast<unsigned>((matrix.count + kTile - 1) / kTile),
                  static_cast<unsigned>((queryCount + kTile - 1) / kTile));
  scoreTiles<<<grid, kThreads>>>(matrix.rows.get(), matrix.stride, matrix.count, queries.get(), queryCount,
                                 matrix.dimension, scores.get());
  selectBest<<<static_cast<unsigned>(queryCount), kSelectThreads>>>(scores.get(), matrix.count, excluded, kept,
                                                                    found.get(), hitStride);
  if (const Status status = statusOf(cudaGetLastError()); status != Status::ok) return status;
  return found.read(hits, queryCount * hitStride);
}

}  // namespace

Status deviceStatus() {
  int count = 0;
  const Status status = statusOf(cudaGetDeviceCount(&count));
  return status == Status::ok && count == 0 ? Status::noDevice : status;
}

Status upload(const kernels::F32Rows& rows, Matrix** matrix) {
  if (const Status status = deviceStatus(); status != Status::ok) return status;
  Matrix* made = new (std::nothrow) Matrix{{}, rows.stride, rows.count, rows.dimension};
  if (made == nullptr) return Status::outOfMemory;
  // The last row ends at its padding, not at its stride.
  const std::size_t floats =
      rows.count == 0 ? 0 : (rows.count - 1) * rows.stride + kernels::paddedDimension(kernels::Format::f32, rows.dimension);
  const Status status = made->rows.fill(rows.data, floats);
  if (status != Status::ok) {
    delete made;
    return status;
  }
  *matrix = made;
  return Status::ok;
}

void release(Matrix* matrix) { delete matrix; }

Status topkBatch(const Matrix& matrix, const float* const* queries, std::size_t queryCount,
                 const kernels::TopkOptions& options, Hit* hits, std::size_t* counts) try {
  const std::size_t kept = std::min(options.k, allowedRows(options.excluded, matrix.count));
  std::fill(counts, counts + queryCount, kept);
  if (kept == 0) return Status::ok;
  DeviceArray<std::uint64_t> excluded;
  if (options.excluded != nullptr) {
    const Status status = excluded.fill(options.excluded, (matrix.count + 63) / 64);
    if (status != Status::ok) return status;
  }
  for (std::size_t first = 0; first < queryCount; first += kQueryGroup) {
    const std::size_t group = std::min(kQueryGroup, queryCount - first);
    std::vector<float> packed(group * matrix.dimension);
    for (std::size_t q = 0; q < group; ++q) {
      std::memcpy(packed.data() + q * matrix.dimension, queries[first + q], matrix.dimension * sizeof(float));
    }
    const Status status = searchGroup(matrix, packed, group, static_cast<unsigned>(kept), excluded.get(), options.k,
                                      hits + first * options.k);
    if (status != Status::ok) return status;
  }
  return Status::ok;
} catch (const std::bad_alloc&) {
  return Status::outOfMemory;
}

}  // namespace ontomem::cuda
