// The tables for CPUs with AVX-512, VNNI and BF16: as a CPU reads 512 bits, in two halves or at once.
#include "simd_avx512.hpp"
#include "table-inl.hpp"
#include "tables.hpp"

namespace ontomem::kernels {

const Kernels& avx512Kernels() {
  static constexpr Kernels table = tableOf<Avx512>(Isa::avx512, "avx512");
  return table;
}

const Kernels& avx512WideKernels() {
  static constexpr Kernels table = [] {
    Kernels wide = tableOf<Avx512>(Isa::avx512, "avx512-wide");
    wide.scoresF32 = scores<Avx512, Avx512::WideF32Dot>;
    wide.topkF32 = topk<Avx512, Avx512::WideF32Dot>;
    wide.topkInt8RescoredF32 = topkRescored<Avx512, Avx512::WideF32Dot>;
    return wide;
  }();
  return table;
}

}  // namespace ontomem::kernels
