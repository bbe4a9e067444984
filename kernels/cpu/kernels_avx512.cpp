// The table for CPUs with AVX-512, VNNI and BF16.
#include "simd_avx512.hpp"
#include "table-inl.hpp"
#include "tables.hpp"

namespace ontomem::kernels {

const Kernels& avx512Kernels() {
  static constexpr Kernels table = tableOf<Avx512>(Isa::avx512, "avx512");
  return table;
}

}  // namespace ontomem::kernels
