// Chooses one kernel table per process: the best the CPU runs, or the one ONTOMEM_ISA names.
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "ontomem/kernels.hpp"
#include "tables.hpp"

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace ontomem::kernels {
namespace {

#if defined(ONTOMEM_X64)
#if defined(_MSC_VER)
struct CpuidLeaf7 {
  bool avx2, avx512, vnni, bf16;
};

CpuidLeaf7 readLeaf7() {
  int leaf[4];
  __cpuid(leaf, 1);
  const bool osSavesState = (leaf[2] >> 27 & 1) != 0;
  const bool fmaAndF16c = (leaf[2] >> 12 & 1) != 0 && (leaf[2] >> 29 & 1) != 0;
  if (!osSavesState) return {};
  const unsigned long long state = _xgetbv(0);
  __cpuidex(leaf, 7, 0);
  const int requiredAvx512 = 1 << 16 | 1 << 17 | 1 << 30 | static_cast<int>(1u << 31);
  CpuidLeaf7 found{};
  found.avx2 = (state & 0x6) == 0x6 && fmaAndF16c && (leaf[1] >> 5 & 1) != 0;
  found.avx512 = (state & 0xe6) == 0xe6 && (leaf[1] & requiredAvx512) == requiredAvx512;
  found.vnni = (leaf[2] >> 11 & 1) != 0;
  __cpuidex(leaf, 7, 1);
  found.bf16 = (leaf[0] >> 5 & 1) != 0;
  return found;
}

bool cpuRunsAvx2() { return readLeaf7().avx2; }

bool cpuRunsAvx512() {
  const CpuidLeaf7 found = readLeaf7();
  return found.avx2 && found.avx512 && found.vnni && found.bf16;
}
#else
bool cpuRunsAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool cpuRunsAvx512() {
  return cpuRunsAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
}
#endif

/// AMD's Zen 4 reads 512 bits in two halves; what follows it was not measured.
bool cpuReadsWide() {
#if defined(_MSC_VER)
  int leaf[4];
  __cpuid(leaf, 0);
  return std::memcmp(&leaf[1], "Auth", 4) != 0;
#else
  return !__builtin_cpu_is("amd");
#endif
}
#endif

const Kernels& best() {
#if defined(ONTOMEM_X64)
  if (cpuRunsAvx512()) return cpuReadsWide() ? avx512WideKernels() : avx512Kernels();
  if (cpuRunsAvx2()) return avx2Kernels();
#elif defined(ONTOMEM_ARM64)
  return neonKernels();
#endif
  return scalarKernels();
}

struct Choice {
  const Kernels* table;
  const char* warning;
};

Choice choose() {
  const char* wanted = std::getenv("ONTOMEM_ISA");
  if (wanted == nullptr || *wanted == '\0') return {&best(), nullptr};
  if (const Kernels* table = byName(wanted)) return {table, nullptr};
  for (const char* known : {"scalar", "avx2", "avx512", "avx512-wide", "neon"}) {
    if (std::strcmp(wanted, known) == 0) {
      return {&best(), "ONTOMEM_ISA names an instruction set that this CPU or build does not have"};
    }
  }
  return {&best(), "ONTOMEM_ISA is not one of scalar, avx2, avx512, avx512-wide, neon"};
}

// A function-local static: initialised once, under the lock the language gives, then read freely.
const Choice& choice() {
  static const Choice chosen = choose();
  return chosen;
}

}  // namespace

const Kernels& active() { return *choice().table; }

const char* isaWarning() { return choice().warning; }

const Kernels* byName(const char* name) {
  if (std::strcmp(name, "scalar") == 0) return &scalarKernels();
#if defined(ONTOMEM_X64)
  if (std::strcmp(name, "avx2") == 0 && cpuRunsAvx2()) return &avx2Kernels();
  if (std::strcmp(name, "avx512") == 0 && cpuRunsAvx512()) return &avx512Kernels();
  if (std::strcmp(name, "avx512-wide") == 0 && cpuRunsAvx512()) return &avx512WideKernels();
#elif defined(ONTOMEM_ARM64)
  if (std::strcmp(name, "neon") == 0) return &neonKernels();
#endif
  return nullptr;
}

}  // namespace ontomem::kernels
