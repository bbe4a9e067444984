// Differential fuzzer: random cases, every instruction set this CPU has, against f64.
// Usage: kernels_fuzz [seed] [iterations]. Build with -fsanitize=address,undefined.
#include <cstdio>
#include <cstdlib>

#include "../test/kernels_differential.hpp"

int main(int argc, char** argv) {
  using namespace ontomem::kernels;
  constexpr std::size_t kLargestCount = 3000;
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t iterations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  int failures = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    for (const char* name : {"scalar", "avx2", "avx512", "avx512-wide", "neon"}) {
      if (const Kernels* kernels = byName(name)) failures += test::checkCase(*kernels, seed + i, kLargestCount);
    }
  }
  std::printf("{\"fuzz\":\"kernels\",\"seed\":%llu,\"iterations\":%llu,\"failures\":%d}\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(iterations), failures);
  return failures == 0 ? 0 : 1;
}
