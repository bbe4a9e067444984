#include "ontomem/visibility.hpp"

#include <algorithm>
#include <bit>

namespace ontomem {
namespace {

/// Writes one bit a row: set where `base` has it (null = none) or `isOut(row)`.
template <class IsOut>
void markRows(std::size_t rows, const std::uint64_t* base, std::uint64_t* words, IsOut isOut) {
  for (std::size_t word = 0; word < bitsetWords(rows); ++word) {
    const std::size_t first = word * 64;
    const std::size_t last = std::min(first + 64, rows);
    std::uint64_t bits = base ? base[word] : 0;
    for (std::size_t row = first; row < last; ++row) bits |= std::uint64_t{isOut(row)} << (row - first);
    words[word] = bits;
  }
}

/// The ordinal to keep; kNone keeps nothing. Precondition number >= 0.
std::uint32_t wantedOrdinal(const GroupTable& groups, double number) {
  return number < kNodeNumberLimit ? groups.ordinalOf(static_cast<std::uint32_t>(number)) : GroupTable::kNone;
}

}  // namespace

Visibility resolveVisibility(const Snapshot& snapshot, double asOfMs, Scratch<std::uint64_t>& words) {
  if (asOfMs >= snapshot.newestMs) {
    const double mean = snapshot.liveRows == 0 ? 0 : double(snapshot.liveLength) / snapshot.liveRows;
    return {snapshot.tombstones.data(), snapshot.liveRows, mean};
  }
  const std::size_t rows = snapshot.rows;
  std::uint64_t* const excluded = words.ensure(bitsetWords(rows) + 1);
  const double* const atMs = snapshot.columns.atMs();
  markRows(rows, snapshot.tombstones.data(), excluded, [=](std::size_t row) { return atMs[row] > asOfMs; });
  Visibility visibility{excluded, 0, 0};
  std::uint64_t length = 0;
  for (Row row = 0; row < rows; ++row) {
    if (!visibility.sees(row)) continue;
    ++visibility.visible;
    length += snapshot.columns.length()[row];
  }
  if (visibility.visible != 0) visibility.meanLength = double(length) / visibility.visible;
  return visibility;
}

const std::uint64_t* resolveFilter(const Snapshot& snapshot, const Visibility& visibility,
                                   const RowFilter& filter, Scratch<std::uint64_t>& words) {
  const bool bySession = filter.session >= 0;
  const bool bySpeaker = filter.speaker >= 0;
  const bool byMask = !filter.mask.empty();
  const bool byTime = filter.fromMs > snapshot.oldestMs || filter.toMs <= snapshot.newestMs;
  if (!bySession && !bySpeaker && !byMask && !byTime) return visibility.excluded;

  const RowColumns& columns = snapshot.columns;
  const std::uint32_t session = bySession ? wantedOrdinal(snapshot.sessions, filter.session) : 0;
  const std::uint32_t speaker = bySpeaker ? wantedOrdinal(snapshot.speakers, filter.speaker) : 0;
  std::uint64_t* const out = words.ensure(bitsetWords(snapshot.rows) + 1);
  markRows(snapshot.rows, visibility.excluded, out, [&](std::size_t row) {
    if (byTime && !(columns.atMs()[row] >= filter.fromMs && columns.atMs()[row] < filter.toMs)) return true;
    if (bySession && columns.session()[row] != session) return true;
    if (bySpeaker && columns.speaker()[row] != speaker) return true;
    return byMask && (row / 32 >= filter.mask.size() || (filter.mask[row / 32] >> (row % 32) & 1) == 0);
  });
  return out;
}

std::uint32_t countUnmarked(const std::uint64_t* bits, std::size_t rows) noexcept {
  std::size_t marked = 0;
  for (std::size_t word = 0; bits && word < bitsetWords(rows); ++word) {
    const std::size_t in = std::min<std::size_t>(64, rows - word * 64);
    const std::uint64_t used = in == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in) - 1;
    marked += static_cast<std::size_t>(std::popcount(bits[word] & used));
  }
  return static_cast<std::uint32_t>(rows - marked);
}

}  // namespace ontomem
