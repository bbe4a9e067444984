// The table for AArch64.
#include "simd_neon.hpp"
#include "table-inl.hpp"
#include "tables.hpp"

namespace ontomem::kernels {

const Kernels& neonKernels() {
  static constexpr Kernels table = tableOf<Neon>(Isa::neon, "neon");
  return table;
}

}  // namespace ontomem::kernels
