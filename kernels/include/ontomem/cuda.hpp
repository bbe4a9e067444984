// The CUDA seat: exact batched top-k and perceptrons on one device, or an honest 'no'.
//
// Loads and answers on machines without a GPU or driver. All calls take and return host memory, are
// synchronous, and may come from any thread.
#pragma once

#include "ontomem/layout.hpp"
#include "ontomem/mlp.hpp"

namespace ontomem::cuda {

/// `noDevice` covers a missing GPU as well as a missing or too old driver.
enum class Status : std::uint8_t { ok, notBuilt, noDevice, outOfMemory, failed };

/// One sentence for a log or an error message.
const char* describe(Status status);

/// `ok` when the other calls can be expected to work here.
Status deviceStatus();

/// Rows that were copied to the device.
struct Matrix;

/// Copies rows.count * rows.stride floats; on `ok` the caller releases *matrix.
Status upload(const kernels::F32Rows& rows, Matrix** matrix);
void release(Matrix* matrix);

/// As Kernels::topkBatchF32, for any number of queries: hits is [queryCount][k], counts [queryCount].
/// O(queryCount * count * dimension), and 4 * count bytes of
/// device memory a query of a group of up to 64.
Status topkBatch(const Matrix& matrix, const float* const* queries, std::size_t queryCount,
                 const kernels::TopkOptions& options, kernels::Hit* hits, std::size_t* counts);

/// As Kernels::mlpForward. Worth it for large `count`: weights and features are copied by every call.
Status mlpForward(const kernels::PackedMlp& mlp, const float* features, std::size_t featureStride,
                  std::size_t count, float* out);

}  // namespace ontomem::cuda
