// The portable table.
#include "simd_scalar.hpp"
#include "table-inl.hpp"
#include "tables.hpp"

namespace ontomem::kernels {

const Kernels& scalarKernels() {
  static constexpr Kernels table = tableOf<Scalar>(Isa::scalar, "scalar");
  return table;
}

}  // namespace ontomem::kernels
