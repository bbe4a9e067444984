#include "ontomem/segment.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace ontomem {
namespace {

/// 'OMS1': a change of layout changes it, and older segments are then rebuilt from the row records.
constexpr std::uint32_t kMagic = 0x31534d4f;

/// Eight lanes of multiply and xor: each step is a bijection of its lane, so that no single changed word goes
/// unnoticed, and eight of them at once keep up with memory (about 20 GB/s).
std::uint64_t checksumOf(const SegmentHeader& header, std::span<const std::byte> body) noexcept {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;
  constexpr std::size_t kLanes = 8;
  std::uint64_t lanes[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = kPrime * (lane + 1);
  std::size_t at = 0;
  for (; at + sizeof lanes <= body.size(); at += sizeof lanes) {
    std::uint64_t words[kLanes];
    std::memcpy(words, body.data() + at, sizeof words);
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = std::rotl((lanes[lane] ^ words[lane]) * kPrime, 29);
  }
  std::uint64_t sum = header.magic ^ std::uint64_t{header.dimension} << 32;
  const auto mix = [&](std::uint64_t word) { sum = std::rotl((sum ^ word) * kPrime, 29); };
  mix(header.count | std::uint64_t{header.terms} << 32);
  for (const std::uint64_t lane : lanes) mix(lane);
  for (; at < body.size(); ++at) mix(std::to_integer<std::uint64_t>(body[at]));
  return sum;
}

/// Hands out one column after the other.
class Columns {
 public:
  explicit Columns(std::byte* at) : at_(at) {}

  template <class T>
  std::span<T> take(std::size_t count) {
    T* const column = reinterpret_cast<T*>(at_);
    at_ += count * sizeof(T);
    return {column, count};
  }

 private:
  std::byte* at_;
};

/// The columns behind a header, in order.
struct SegmentColumns {
  std::span<float> vectors;
  std::span<double> atMs;
  std::span<std::uint32_t> terms, stored, session, speaker, flags, length, termRows;
  std::span<std::uint16_t> termCounts;

  SegmentColumns(std::byte* body, std::size_t dimension, std::size_t count, std::size_t termCount) {
    Columns columns(body);
    atMs = columns.take<double>(count);
    terms = columns.take<std::uint32_t>(2 * termCount);
    vectors = columns.take<float>(count * dimension);
    stored = columns.take<std::uint32_t>(count);
    session = columns.take<std::uint32_t>(count);
    speaker = columns.take<std::uint32_t>(count);
    flags = columns.take<std::uint32_t>(count);
    length = columns.take<std::uint32_t>(count);
    termRows = columns.take<std::uint32_t>(termCount);
    termCounts = columns.take<std::uint16_t>(termCount);
  }
};

bool isAligned(const void* at) { return reinterpret_cast<std::uintptr_t>(at) % alignof(double) == 0; }

}  // namespace

Outcome packSegment(std::size_t dimension, const RowBatch& batch, std::span<std::byte> out) {
  const std::size_t terms = batch.termCounts.size();
  if (batch.vectors.size() != batch.count * dimension) return badArgument("vectors: wrong length");
  if (batch.termOffsets.size() != batch.count + 1) return badArgument("termOffsets: wrong length");
  if (batch.termOffsets[batch.count] != terms || batch.terms.size() != 2 * terms) return badArgument("terms: wrong length");
  for (const std::size_t size : {batch.atMs.size(), batch.session.size(), batch.speaker.size(), batch.flags.size(),
                                 batch.length.size(), batch.stored.size()}) {
    if (size != batch.count) return badArgument("rows: a column has another length");
  }
  if (out.size() != segmentBytes(dimension, batch.count, terms)) return badArgument("out: wrong length");
  if (!isAligned(out.data())) return badArgument("out: not aligned");

  SegmentHeader header{kMagic, static_cast<std::uint32_t>(dimension), static_cast<std::uint32_t>(batch.count),
                       static_cast<std::uint32_t>(terms), 0, {}};
  std::byte* const body = out.data() + sizeof header;
  const SegmentColumns columns(body, dimension, batch.count, terms);
  std::copy(batch.vectors.begin(), batch.vectors.end(), columns.vectors.begin());
  std::copy(batch.atMs.begin(), batch.atMs.end(), columns.atMs.begin());
  std::copy(batch.stored.begin(), batch.stored.end(), columns.stored.begin());
  std::copy(batch.session.begin(), batch.session.end(), columns.session.begin());
  std::copy(batch.speaker.begin(), batch.speaker.end(), columns.speaker.begin());
  std::copy(batch.flags.begin(), batch.flags.end(), columns.flags.begin());
  std::copy(batch.length.begin(), batch.length.end(), columns.length.begin());

  struct Term {
    std::uint64_t hash;
    std::uint32_t place;
    std::uint16_t count;
  };
  std::vector<Term> sorted(terms);
  for (std::uint32_t place = 0; place < batch.count; ++place) {
    if (batch.termOffsets[place] > batch.termOffsets[place + 1]) return badArgument("termOffsets: not ascending");
    for (std::size_t term = batch.termOffsets[place]; term < batch.termOffsets[place + 1]; ++term) {
      sorted[term] = {batch.terms[2 * term] | std::uint64_t{batch.terms[2 * term + 1]} << 32, place,
                      batch.termCounts[term]};
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const Term& left, const Term& right) {
    return left.hash != right.hash ? left.hash < right.hash : left.place < right.place;
  });
  for (std::size_t term = 0; term < terms; ++term) {
    columns.terms[2 * term] = static_cast<std::uint32_t>(sorted[term].hash);
    columns.terms[2 * term + 1] = static_cast<std::uint32_t>(sorted[term].hash >> 32);
    columns.termRows[term] = sorted[term].place;
    columns.termCounts[term] = sorted[term].count;
  }
  header.checksum = checksumOf(header, {body, out.size() - sizeof header});
  std::memcpy(out.data(), &header, sizeof header);
  return {};
}

Outcome readSegment(std::span<const std::byte> bytes, std::size_t dimension, RowBatch& batch) {
  SegmentHeader header;
  if (bytes.size() < sizeof header) return badArgument("segment: cut short");
  if (!isAligned(bytes.data())) return badArgument("segment: not aligned");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return badArgument("segment: of another kind");
  if (header.dimension != dimension) return badArgument("segment: of another dimension");
  if (header.count > kNodeNumberLimit || bytes.size() != segmentBytes(dimension, header.count, header.terms)) {
    return badArgument("segment: wrong length");
  }
  const std::span<const std::byte> body = bytes.subspan(sizeof header);
  if (checksumOf(header, body) != header.checksum) return badArgument("segment: its checksum differs");
  // Only read through: the batch holds views of constant elements.
  const SegmentColumns columns(const_cast<std::byte*>(body.data()), dimension, header.count, header.terms);
  batch = {};
  batch.count = header.count;
  batch.vectors = columns.vectors;
  batch.atMs = columns.atMs;
  batch.session = columns.session;
  batch.speaker = columns.speaker;
  batch.flags = columns.flags;
  batch.terms = columns.terms;
  batch.termCounts = columns.termCounts;
  batch.length = columns.length;
  batch.stored = columns.stored;
  batch.termRows = columns.termRows;
  return {};
}

}  // namespace ontomem
