// Speed of the search kernels, each beside an FMA loop and a streaming read of the same rows.
//
// Usage: kernels_bench [--d 384,768] [--n 100,1000] [--batch 1,32] [--format f32,bf16,int8,int8+rescore]
//                      [--op topk,scores] [--residency warm,cold] [--samples 31] [--isa avx2]
// Prints one JSON object a line. Times are medians in microseconds with p10 and p90; operation, stream
// and FMA loop are sampled in turn, so that a slow moment of the machine meets all three; the clock is
// the thread's own processor time.
// fractionOfStream = stream time / time of the operation, over the bytes of the format scanned;
// fractionOfFma = f32 multiply-adds a second against the f32 FMA loop (bf16 and int8 may pass 1).
// A batch packs its queries inside the timed region.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels_limits.hpp"
#include "ontomem/kernels.hpp"

namespace ontomem::bench {
namespace {

using namespace ontomem::kernels;

constexpr std::size_t kTop = 10;
constexpr std::size_t kQueries = 32;
/// Cold users: so many bytes of other users lie between two visits that no cache keeps any.
constexpr std::size_t kColdBytes = std::size_t{256} << 20;

struct Arguments {
  std::set<std::string> dimensions{"384", "768", "1024"}, counts{"100", "1000", "10000", "50000", "200000"};
  std::set<std::string> batches{"1", "32"}, formats{"f32", "bf16", "int8", "int8+rescore"};
  std::set<std::string> operations{"topk", "scores"}, residencies{"warm", "cold"};
  std::size_t samples = 31;
  const Kernels* kernels = &active();
};

std::set<std::string> split(const std::string& list) {
  std::set<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.insert(part);
  return parts;
}

/// Huge pages, as the shards' arenas have them.
template <class T>
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_((count * sizeof(T) + kHuge - 1) / kHuge * kHuge) {
    data_ = static_cast<T*>(std::aligned_alloc(kHuge, bytes_));
    if (data_ == nullptr) std::exit(2);
    madvise(data_, bytes_, MADV_HUGEPAGE);
    std::memset(static_cast<void*>(data_), 0, bytes_);
  }
  ~Pages() { std::free(data_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  T* get() const { return data_; }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20;
  std::size_t bytes_;
  T* data_;
};

/// Clustered unit vectors: a centre plus noise, cheap to make in quantity.
void makeVectors(const Kernels& kernels, std::size_t count, std::size_t d, std::size_t stride, std::uint64_t seed, float* out) {
  constexpr std::size_t kClusters = 64;
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  const auto uniform = [&state] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f;
  };
  std::vector<float> centres(kClusters * d);
  std::uint64_t own = state;
  state = 12345;
  for (float& value : centres) value = uniform();
  state = own;
  for (std::size_t row = 0; row < count; ++row) {
    const float* centre = centres.data() + (state >> 40) % kClusters * d;
    for (std::size_t i = 0; i < d; ++i) out[row * stride + i] = centre[i] + 0.6f * uniform();
    kernels.normalise(out + row * stride, d);
  }
}

/// `users` copies of a matrix, one after the other, in the formats that a run needs.
struct Users {
  std::size_t d, n, users;
  std::size_t f32Stride, bf16Stride, int8Stride;
  Pages<float> f32;
  Pages<std::uint16_t> bf16;
  Pages<std::int8_t> int8;
  Pages<float> scales;
  Pages<std::int32_t> sums;
  std::vector<std::vector<float>> queries;
  Residency residency;

  Users(const Kernels& kernels, std::size_t d, std::size_t n, std::size_t users, Residency residency)
      : d(d), n(n), users(users), f32Stride(paddedStride(Format::f32, d)), bf16Stride(paddedStride(Format::bf16, d)),
        int8Stride(paddedStride(Format::int8, d)), f32(users * n * f32Stride), bf16(users * n * bf16Stride),
        int8(users * n * int8Stride), scales(users * n), sums(users * n), residency(residency) {
    makeVectors(kernels, users * n, d, f32Stride, 7, f32.get());
    kernels.quantiseBf16(f32.get(), f32Stride, users * n, d, bf16.get(), bf16Stride);
    kernels.quantiseInt8(f32.get(), f32Stride, users * n, d, int8.get(), int8Stride, scales.get(), sums.get());
    for (std::size_t q = 0; q < kQueries; ++q) {
      queries.emplace_back(d);
      makeVectors(kernels, 1, d, d, 1000 + q, queries.back().data());
    }
  }
  F32Rows f32Rows(std::size_t user) const { return {f32.get() + user * n * f32Stride, f32Stride, n, d, residency}; }
  Bf16Rows bf16Rows(std::size_t user) const { return {bf16.get() + user * n * bf16Stride, bf16Stride, n, d, residency}; }
  Int8Rows int8Rows(std::size_t user) const {
    return {int8.get() + user * n * int8Stride, int8Stride, n, d, scales.get() + user * n, sums.get() + user * n, residency};
  }
  float stream(Format format, std::size_t user) const {
    const std::size_t bytes = paddedDimension(format, d) * bytesPerElement(format);
    switch (format) {
      case Format::f32: return readRows(f32Rows(user).data, bytes, f32Stride * 4, n);
      case Format::bf16: return readRows(bf16Rows(user).data, bytes, bf16Stride * 2, n);
      default: return readRows(int8Rows(user).data, bytes, int8Stride, n);
    }
  }
};

/// Runs one operation on one user's rows. Query `turn % kQueries`, or the whole batch.
using Operation = std::function<void(std::size_t user, std::size_t turn)>;

Operation makeOperation(const Kernels& kernels, const Users& data, const std::string& op, const std::string& format,
                        std::size_t batch) {
  const TopkOptions options{kTop};
  if (op == "scores") {
    auto out = std::make_shared<std::vector<float>>(kMaxScoreQueries * data.n);
    return [&kernels, &data, format, out](std::size_t user, std::size_t) {
      const float* queries[kMaxScoreQueries];
      for (std::size_t q = 0; q < kMaxScoreQueries; ++q) queries[q] = data.queries[q].data();
      ScoreStats stats[kMaxScoreQueries];
      const auto run = [&](auto kernel, const auto& rows) { kernel(rows, queries, kMaxScoreQueries, nullptr, out->data(), data.n, stats); };
      if (format == "f32") run(kernels.scoresF32, data.f32Rows(user));
      else if (format == "bf16") run(kernels.scoresBf16, data.bf16Rows(user));
      else run(kernels.scoresInt8, data.int8Rows(user));
    };
  }
  if (batch == 1) {
    return [&kernels, &data, format, options](std::size_t user, std::size_t turn) {
      const float* query = data.queries[turn % kQueries].data();
      Hit hits[kTop];
      if (format == "f32") kernels.topkF32(data.f32Rows(user), query, options, hits);
      else if (format == "bf16") kernels.topkBf16(data.bf16Rows(user), query, options, hits);
      else if (format == "int8") kernels.topkInt8(data.int8Rows(user), query, options, hits);
      else kernels.topkInt8RescoredF32(data.int8Rows(user), data.f32Rows(user), query, options, hits);
    };
  }
  auto words = std::make_shared<Pages<char>>(packedQueryBytes(data.d));
  return [&kernels, &data, format, options, words](std::size_t user, std::size_t) {
    const float* queries[kQueries];
    for (std::size_t q = 0; q < kQueries; ++q) queries[q] = data.queries[q].data();
    Hit hits[kQueries * kTop];
    std::size_t counts[kQueries];
    PackedQueries packed;
    packed.data = words->get();
    const auto run = [&](auto pack, auto kernel, const auto& rows) {
      pack(queries, kQueries, data.d, packed);
      kernel(rows, packed, options, hits, counts);
    };
    if (format == "f32") run(kernels.packF32, kernels.topkBatchF32, data.f32Rows(user));
    else if (format == "bf16") run(kernels.packBf16, kernels.topkBatchBf16, data.bf16Rows(user));
    else run(kernels.packInt8, kernels.topkBatchInt8, data.int8Rows(user));
  };
}

/// Share of the exact f32 top 10 that the format finds, over all queries.
double recallOf(const Kernels& kernels, const Users& data, const std::string& format) {
  std::size_t found = 0;
  const std::size_t k = std::min(kTop, data.n);
  for (const auto& query : data.queries) {
    Hit exact[kTop], hits[kTop];
    kernels.topkF32(data.f32Rows(0), query.data(), {kTop}, exact);
    if (format == "f32") kernels.topkF32(data.f32Rows(0), query.data(), {kTop}, hits);
    else if (format == "bf16") kernels.topkBf16(data.bf16Rows(0), query.data(), {kTop}, hits);
    else if (format == "int8") kernels.topkInt8(data.int8Rows(0), query.data(), {kTop}, hits);
    else kernels.topkInt8RescoredF32(data.int8Rows(0), data.f32Rows(0), query.data(), {kTop}, hits);
    for (std::size_t i = 0; i < k; ++i) {
      found += static_cast<std::size_t>(std::any_of(hits, hits + k, [&](const Hit& hit) { return hit.row == exact[i].row; }));
    }
  }
  return static_cast<double>(found) / static_cast<double>(k * data.queries.size());
}

/// Processor time of this thread, not wall time: another process may take the core, but not the blame.
double threadMicroseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double microseconds(const std::function<void()>& work) {
  const double start = threadMicroseconds();
  work();
  return threadMicroseconds() - start;
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void measure(const Arguments& arguments, const Users& data, const std::string& op, const std::string& format,
             std::size_t batch, const std::string& residency) {
  const bool cold = residency == "cold";
  const Format scanned = format == "f32" ? Format::f32 : format == "bf16" ? Format::bf16 : Format::int8;
  const Operation operation = makeOperation(*arguments.kernels, data, op, format, batch);
  // Enough calls a sample for 50 us; a cold sample visits each user at most once.
  const double once = std::max(0.2, microseconds([&] { operation(0, 0); }));
  const std::size_t calls = std::min(cold ? data.users / 4 : std::size_t{1000}, static_cast<std::size_t>(50 / once) + 1);
  std::vector<double> times, streams, rates;
  volatile float sink = 0;
  std::size_t user = 0, turn = 0;
  const auto nextUser = [&] { return user = cold ? (user + 1) % data.users : 0; };
  for (std::size_t sample = 0; sample < arguments.samples + 2; ++sample) {
    const double time = microseconds([&] { for (std::size_t i = 0; i < calls; ++i) operation(nextUser(), turn++); });
    if (!cold) sink = data.stream(scanned, 0);  // The operation may have left other formats in cache.
    const double stream = microseconds([&] { for (std::size_t i = 0; i < calls; ++i) sink = data.stream(scanned, nextUser()); });
    double operations = 0;
    const double fma = microseconds([&] { operations = runFmaLoop(20000); });
    if (!cold) operation(0, turn);
    if (sample < 2) continue;
    times.push_back(time / static_cast<double>(calls));
    streams.push_back(stream / static_cast<double>(calls));
    rates.push_back(operations / fma);
  }
  const double us = percentile(times, 0.5), streamUs = percentile(streams, 0.5), rate = percentile(rates, 0.5);
  const std::size_t vectors = op == "scores" ? kMaxScoreQueries : batch;
  const double flops = 2.0 * static_cast<double>(data.n * data.d * vectors);
  std::printf(
      "{\"op\":\"%s\",\"isa\":\"%s\",\"d\":%zu,\"n\":%zu,\"batch\":%zu,\"format\":\"%s\",\"residency\":\"%s\",\"us\":%.3f,"
      "\"p10Us\":%.3f,\"p90Us\":%.3f,\"streamUs\":%.3f,\"fmaGflops\":%.1f,\"fractionOfStream\":%.3f,\"fractionOfFma\":%.3f",
      op.c_str(), arguments.kernels->name, data.d, data.n, vectors, format.c_str(), residency.c_str(), us,
      percentile(times, 0.1), percentile(times, 0.9), streamUs, rate * 1e-3, streamUs / us, flops / us / rate);
  if (batch == 1 && op == "topk" && !cold) std::printf(",\"recall\":%.4f", recallOf(*arguments.kernels, data, format));
  std::printf("}\n");
  std::fflush(stdout);
}

void measureUsers(const Arguments& arguments, std::size_t d, std::size_t n, const std::string& residency) {
  const std::size_t bytes = n * paddedStride(Format::f32, d) * sizeof(float);
  const bool cold = residency == "cold";
  // Beyond 12 MB a user is as good as cold in any case.
  if (cold && bytes > (std::size_t{16} << 20)) return;
  // Int8 rows are a quarter as long: four times the users keep them cold too.
  const Users data(*arguments.kernels, d, n, cold ? 4 * kColdBytes / bytes : 1, cold ? Residency::cold : Residency::automatic);
  for (const std::string& format : arguments.formats) {
    if (arguments.operations.contains("topk")) {
      for (const std::string& batch : arguments.batches) {
        if (batch != "1" && (format == "int8+rescore" || cold)) continue;
        measure(arguments, data, "topk", format, std::strtoull(batch.c_str(), nullptr, 10), residency);
      }
    }
    if (arguments.operations.contains("scores") && format != "int8+rescore") {
      measure(arguments, data, "scores", format, 1, residency);
    }
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--d") arguments.dimensions = split(value);
    else if (name == "--n") arguments.counts = split(value);
    else if (name == "--batch") arguments.batches = split(value);
    else if (name == "--format") arguments.formats = split(value);
    else if (name == "--op") arguments.operations = split(value);
    else if (name == "--residency") arguments.residencies = split(value);
    else if (name == "--samples") arguments.samples = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--isa" && byName(value.c_str()) != nullptr) arguments.kernels = byName(value.c_str());
    else {
      std::fprintf(stderr, "kernels_bench: cannot use %s %s\n", name.c_str(), value.c_str());
      std::exit(2);
    }
  }
  return arguments;
}

}  // namespace
}  // namespace ontomem::bench

int main(int argc, char** argv) {
  using namespace ontomem::bench;
  const Arguments arguments = parse(argc, argv);
  for (const std::string& d : arguments.dimensions) {
    for (const std::string& n : arguments.counts) {
      for (const std::string& residency : arguments.residencies) {
        measureUsers(arguments, std::strtoull(d.c_str(), nullptr, 10), std::strtoull(n.c_str(), nullptr, 10), residency);
      }
    }
  }
}
