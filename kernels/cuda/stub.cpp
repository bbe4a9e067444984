// Stands in for the CUDA kernels where no CUDA compiler was found.
#include "ontomem/cuda.hpp"

namespace ontomem::cuda {

Status deviceStatus() { return Status::notBuilt; }

Status upload(const kernels::F32Rows&, Matrix**) { return Status::notBuilt; }

void release(Matrix*) {}

Status topkBatch(const Matrix&, const float* const*, std::size_t, const kernels::TopkOptions&, kernels::Hit*,
                 std::size_t*) {
  return Status::notBuilt;
}

Status mlpForward(const kernels::PackedMlp&, const float*, std::size_t, std::size_t, float*) {
  return Status::notBuilt;
}

}  // namespace ontomem::cuda
