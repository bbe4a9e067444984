// The table for CPUs with AVX2 and FMA.
#include "simd_avx2.hpp"
#include "table-inl.hpp"
#include "tables.hpp"

namespace ontomem::kernels {

const Kernels& avx2Kernels() {
  static constexpr Kernels table = tableOf<Avx2>(Isa::avx2, "avx2");
  return table;
}

}  // namespace ontomem::kernels
