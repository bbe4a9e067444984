#include "kernels_limits.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ontomem::bench {
namespace {

volatile float sinkValue;

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double fmaLoopAvx2(std::size_t iterations) {
  __m256 a = _mm256_set1_ps(1e-9f), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
  const __m256 factor = _mm256_set1_ps(1.0000001f);
  for (std::size_t n = 0; n < iterations; ++n) {
    a = _mm256_fmadd_ps(a, factor, factor), b = _mm256_fmadd_ps(b, factor, factor);
    c = _mm256_fmadd_ps(c, factor, factor), d = _mm256_fmadd_ps(d, factor, factor);
    e = _mm256_fmadd_ps(e, factor, factor), f = _mm256_fmadd_ps(f, factor, factor);
    g = _mm256_fmadd_ps(g, factor, factor), h = _mm256_fmadd_ps(h, factor, factor);
    i = _mm256_fmadd_ps(i, factor, factor), j = _mm256_fmadd_ps(j, factor, factor);
    asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h), "+x"(i), "+x"(j));
  }
  sinkValue = _mm256_cvtss_f32(a + b + c + d + e + f + g + h + i + j);
  return static_cast<double>(iterations) * 10 * 16;
}

__attribute__((target("avx512f"))) double fmaLoopAvx512(std::size_t iterations) {
  __m512 a = _mm512_set1_ps(1e-9f), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
  const __m512 factor = _mm512_set1_ps(1.0000001f);
  for (std::size_t n = 0; n < iterations; ++n) {
    a = _mm512_fmadd_ps(a, factor, factor), b = _mm512_fmadd_ps(b, factor, factor);
    c = _mm512_fmadd_ps(c, factor, factor), d = _mm512_fmadd_ps(d, factor, factor);
    e = _mm512_fmadd_ps(e, factor, factor), f = _mm512_fmadd_ps(f, factor, factor);
    g = _mm512_fmadd_ps(g, factor, factor), h = _mm512_fmadd_ps(h, factor, factor);
    i = _mm512_fmadd_ps(i, factor, factor), j = _mm512_fmadd_ps(j, factor, factor);
    asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h), "+v"(i), "+v"(j));
  }
  sinkValue = _mm512_cvtss_f32(a + b + c + d + e + f + g + h + i + j);
  return static_cast<double>(iterations) * 10 * 32;
}

__attribute__((target("avx2"))) float readAvx2(const char* rows, std::size_t rowBytes, std::size_t strideBytes,
                                               std::size_t rowCount) {
  __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
  for (std::size_t row = 0; row < rowCount; ++row) {
    const float* p = reinterpret_cast<const float*>(rows + row * strideBytes);
    const float* end = p + rowBytes / sizeof(float);
    for (; p + 32 <= end; p += 32) {
      a += _mm256_loadu_ps(p), b += _mm256_loadu_ps(p + 8), c += _mm256_loadu_ps(p + 16), d += _mm256_loadu_ps(p + 24);
    }
    for (; p < end; p += 8) a += _mm256_loadu_ps(p);
  }
  return _mm256_cvtss_f32(a + b + c + d);
}

__attribute__((target("avx512f"))) float readAvx512(const char* rows, std::size_t rowBytes, std::size_t strideBytes,
                                                    std::size_t rowCount) {
  __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
  for (std::size_t row = 0; row < rowCount; ++row) {
    const float* p = reinterpret_cast<const float*>(rows + row * strideBytes);
    const float* end = p + rowBytes / sizeof(float);
    for (; p + 64 <= end; p += 64) {
      a += _mm512_loadu_ps(p), b += _mm512_loadu_ps(p + 16), c += _mm512_loadu_ps(p + 32), d += _mm512_loadu_ps(p + 48);
    }
    for (; p < end; p += 16) a += _mm512_loadu_ps(p);
  }
  return _mm512_cvtss_f32(a + b + c + d);
}

bool hasAvx512() { return __builtin_cpu_supports("avx512f"); }
#endif

}  // namespace

double runFmaLoop(std::size_t iterations) {
#if defined(__x86_64__)
  return hasAvx512() ? fmaLoopAvx512(iterations) : fmaLoopAvx2(iterations);
#else
  using Vector = float __attribute__((vector_size(16)));
  Vector sums[10];
  for (auto& sum : sums) sum = Vector{1e-9f, 1e-9f, 1e-9f, 1e-9f};
  const Vector factor{1.0000001f, 1.0000001f, 1.0000001f, 1.0000001f};
  for (std::size_t n = 0; n < iterations; ++n) {
    for (auto& sum : sums) sum = sum * factor + factor;
  }
  float total = 0;
  for (const auto& sum : sums) total += sum[0];
  sinkValue = total;
  return static_cast<double>(iterations) * 10 * 8;
#endif
}

float readRows(const void* rows, std::size_t rowBytes, std::size_t strideBytes, std::size_t rowCount) {
  const char* bytes = static_cast<const char*>(rows);
#if defined(__x86_64__)
  return hasAvx512() ? readAvx512(bytes, rowBytes, strideBytes, rowCount)
                     : readAvx2(bytes, rowBytes, strideBytes, rowCount);
#else
  using Vector = float __attribute__((vector_size(16)));
  Vector sums[4] = {};
  for (std::size_t row = 0; row < rowCount; ++row) {
    const Vector* p = reinterpret_cast<const Vector*>(bytes + row * strideBytes);
    for (std::size_t i = 0; i < rowBytes / sizeof(Vector); i += 4) {
      for (std::size_t s = 0; s < 4; ++s) sums[s] += p[i + s];
    }
  }
  return (sums[0] + sums[1] + sums[2] + sums[3])[0];
#endif
}

}  // namespace ontomem::bench
