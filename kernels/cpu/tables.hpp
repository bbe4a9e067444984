// The tables that the per-ISA files define, and which of them this target has.
#pragma once

#include "ontomem/kernels.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#define ONTOMEM_X64 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define ONTOMEM_ARM64 1
#endif

namespace ontomem::kernels {

const Kernels& scalarKernels();
const Kernels& avx2Kernels();
const Kernels& avx512Kernels();
const Kernels& avx512WideKernels();
const Kernels& neonKernels();

}  // namespace ontomem::kernels
