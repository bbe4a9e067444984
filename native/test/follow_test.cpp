// Following a store: all or nothing at every allocation, forgetting as if never appended, segments, small users.
#include <cmath>
#include <cstdlib>
#include <map>
#include <new>
#include <random>

#include "expect.hpp"
#include "ontomem/segment.hpp"
#include "small_shard.hpp"

namespace {

/// Allocations until one fails; negative = none does.
long allocationsLeft = -1;
std::size_t allocated = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocationsLeft == 0) throw std::bad_alloc();
  if (allocationsLeft > 0) --allocationsLeft;
  // The size stands in front, so that what is freed can be counted off.
  const std::size_t front = std::max<std::size_t>(alignment, 16);
  void* const whole = std::aligned_alloc(front, (bytes + front + front - 1) / front * front);
  if (!whole) throw std::bad_alloc();
  allocated += bytes;
  static_cast<std::size_t*>(whole)[0] = bytes;
  return static_cast<std::byte*>(whole) + front;
}

void release(void* data, std::size_t alignment) noexcept {
  if (!data) return;
  void* const whole = static_cast<std::byte*>(data) - std::max<std::size_t>(alignment, 16);
  allocated -= static_cast<std::size_t*>(whole)[0];
  std::free(whole);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 16); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, 16);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, std::size_t(alignment)); }
void operator delete(void* data) noexcept { release(data, 16); }
void operator delete(void* data, std::size_t) noexcept { release(data, 16); }
void operator delete(void* data, std::align_val_t alignment) noexcept { release(data, std::size_t(alignment)); }
void operator delete(void* data, std::size_t, std::align_val_t alignment) noexcept { release(data, std::size_t(alignment)); }

namespace ontomem::test {
namespace {

constexpr std::size_t kDimension = 16;

/// Turns of a store, by number; what is forgotten is not in it.
struct Turns {
  struct Turn {
    std::vector<float> vector;
    double atMs;
    std::uint32_t session, speaker;
    std::map<std::uint32_t, std::uint16_t> terms;
  };
  std::map<std::uint32_t, Turn> byNumber;
  std::uint32_t next = 0;
  std::mt19937 random{7};

  void observe(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Turn turn{std::vector<float>(kDimension), double(random() % 1000), std::uint32_t(random() % 4),
                std::uint32_t(random() % 3), {}};
      for (float& value : turn.vector) value = float(int(random() % 17) - 8) / 8;
      for (std::size_t term = random() % 8; term-- > 0;) turn.terms[random() % 40] = std::uint16_t(1 + random() % 3);
      byNumber.emplace(next++, std::move(turn));
    }
  }
  std::uint32_t anyNumber() { return std::next(byNumber.begin(), std::ptrdiff_t(random() % byNumber.size()))->first; }
};

/// The columns of some turns, and the batch over them.
struct Columns {
  std::vector<float> vectors;
  std::vector<double> atMs;
  std::vector<std::uint32_t> session, speaker, flags, offsets{0}, terms, length, stored;
  std::vector<std::uint16_t> counts;

  Columns(const Turns& turns, std::uint32_t from, std::uint32_t to) {
    for (auto at = turns.byNumber.lower_bound(from); at != turns.byNumber.end() && at->first < to; ++at) {
      const Turns::Turn& turn = at->second;
      vectors.insert(vectors.end(), turn.vector.begin(), turn.vector.end());
      atMs.push_back(turn.atMs);
      session.push_back(turn.session);
      speaker.push_back(turn.speaker);
      flags.push_back(0);
      length.push_back(std::uint32_t(turn.terms.size()));
      stored.push_back(at->first);
      for (const auto& [term, count] : turn.terms) {
        terms.insert(terms.end(), {term, term % 3 << 30});
        counts.push_back(count);
      }
      offsets.push_back(std::uint32_t(counts.size()));
    }
  }
  RowBatch batch() const {
    return {stored.size(), vectors, atMs, session, speaker, {}, flags, offsets, terms, counts, length, stored, {}};
  }
};

bool follow(Shard& shard, const FollowStep& step, const RowBatch& batch) {
  bool followed = false;
  return shard.follow(step, batch, followed).ok() && followed;
}

void loadFresh(Shard& shard, const Turns& turns, std::uint32_t changes) {
  const Columns columns(turns, 0, turns.next);
  EXPECT(follow(shard, {{0, 0}, {turns.next, changes}, {}, 0}, columns.batch()), "a fresh load");
}

/// What a recall answers, by the store's numbers.
struct Answer {
  std::vector<std::uint32_t> numbers;
  std::vector<float> scores, features;
};

Answer ask(const Shard& shard, std::uint32_t seed) {
  std::mt19937 random(seed);
  Ask ask;
  std::vector<float> query(kDimension);
  for (float& value : query) value = float(int(random() % 17) - 8) / 8;
  ask.view(query);
  for (std::uint32_t term = 0; term < 4; ++term) {
    const std::uint32_t number = (random() % 10) * 4 + term;
    ask.terms.insert(ask.terms.end(), {number, number % 3 << 30});
  }
  ask.seed(makeNode(NodeKind::session, random() % 4));
  ask.seed(makeNode(NodeKind::speaker, random() % 3));
  ask.parameters.previousGain = 0.35;
  ask.parameters.nextGain = 0.2;
  ask.parameters.hubDamping = 0.3;
  if (random() % 3 == 0) ask.parameters.asOfMs = double(random() % 1000);
  EXPECT(ask.of(shard).ok(), "recall runs");
  Answer answer{{}, ask.scores, ask.features};
  for (const Row row : ask.rows) answer.numbers.push_back(shard.snapshot().columns.stored()[row]);
  answer.features.resize(answer.numbers.size() * feature::count);
  return answer;
}

bool agree(const Answer& left, const Answer& right) {
  const auto near = [](float a, float b) { return std::abs(a - b) <= 1e-5f * (1 + std::abs(b)); };
  return left.numbers == right.numbers &&
         std::equal(left.scores.begin(), left.scores.end(), right.scores.begin(), right.scores.end(), near) &&
         std::equal(left.features.begin(), left.features.end(), right.features.begin(), right.features.end(), near);
}

bool answersAlike(const Shard& left, const Shard& right) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    if (!agree(ask(left, seed), ask(right, seed))) return false;
  }
  return true;
}

/// Observes and forgets in any order; the shard that followed answers like one that never knew.
void forgettingLeavesNoTrace() {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Turns turns;
    turns.random.seed(seed);
    Shard kept(kDimension, VectorFormat::f32);
    Position at;
    for (int step = 0; step < 30; ++step) {
      std::vector<std::uint32_t> forgotten;
      for (std::size_t i = turns.random() % 6; i-- > 0 && !turns.byNumber.empty();) {
        forgotten.push_back(turns.anyNumber());
        turns.byNumber.erase(forgotten.back());
      }
      turns.observe(turns.random() % 12);
      const Position to{turns.next, at.changes + std::uint32_t(forgotten.size())};
      const Columns columns(turns, at.nextStored, to.nextStored);
      EXPECT(follow(kept, {at, to, forgotten, 0}, columns.batch()), "followed");
      if (turns.random() % 4 == 0) EXPECT(kept.compactIfDue().ok(), "compacts when it is due");
      at = to;
    }
    Shard fresh(kDimension, VectorFormat::f32);
    loadFresh(fresh, turns, at.changes);
    EXPECT(kept.snapshot().liveRows == fresh.snapshot().liveRows, "the same turns are live");
    EXPECT(kept.snapshot().position == fresh.snapshot().position, "both stand at the same place");
    EXPECT(answersAlike(kept, fresh), "tombstones leave no trace in any answer");
    EpochDomain::process().reclaim();
  }
}

void aLateThreadChangesNothing() {
  Turns turns;
  turns.observe(10);
  Shard shard(kDimension, VectorFormat::f32);
  const Columns first(turns, 0, 6), second(turns, 6, 10);
  EXPECT(follow(shard, {{0, 0}, {6, 0}, {}, 10}, first.batch()), "the first thread loads");
  EXPECT(!follow(shard, {{0, 0}, {6, 0}, {}, 10}, first.batch()), "another one that looked before is refused");
  EXPECT(shard.snapshot().rows == 6, "and nothing is there twice");
  EXPECT(follow(shard, {{6, 0}, {10, 0}, {}, 10}, second.batch()), "it goes on from where the shard stands");
  EXPECT(shard.snapshot().columns.capacity() == 10, "room was made once");
  bool followed = false;
  EXPECT(shard.follow({{10, 0}, {9, 0}, {}, 0}, {}, followed).status == Status::badArgument, "never backwards");
  EXPECT(shard.follow({{10, 0}, {11, 0}, {}, 0}, second.batch(), followed).status == Status::badArgument, "nor twice");
}

/// Fails every allocation of a step once; the shard then stands where it stood, and the step can be done.
void aFailedStepLeavesNothing() {
  Turns turns;
  turns.observe(70);
  Turns later = turns;
  later.observe(90);
  const std::uint32_t forgotten[] = {3, 4, 40};
  for (const std::uint32_t number : forgotten) later.byNumber.erase(number);
  const Columns before(turns, 0, 70), after(later, 70, 160);
  Shard reference(kDimension, VectorFormat::f32), expected(kDimension, VectorFormat::f32);
  EXPECT(follow(reference, {{0, 0}, {70, 0}, {}, 0}, before.batch()), "before");
  loadFresh(expected, later, 1);
  const FollowStep step{{70, 0}, {160, 1}, forgotten, 0};
  bool done = false;
  for (long left = 0; !done; ++left) {
    Shard shard(kDimension, VectorFormat::f32);
    EXPECT(follow(shard, {{0, 0}, {70, 0}, {}, 0}, before.batch()), "before");
    bool threw = false;
    allocationsLeft = left;
    try {
      done = follow(shard, step, after.batch());
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    allocationsLeft = -1;
    if (threw) {
      EXPECT(shard.snapshot().position == (Position{70, 0}) && shard.snapshot().rows == 70, "it stands where it stood");
      EXPECT(answersAlike(shard, reference), "and answers as before");
      EXPECT(follow(shard, step, after.batch()), "the step can be done again");
    }
    EXPECT(answersAlike(shard, expected), "and leads where it should");
    EpochDomain::process().reclaim();
    if (left > 500) break;
  }
  EXPECT(done, "every allocation failed once, then none did");
}

void aSegmentIsTheRows() {
  Turns turns;
  turns.observe(33);
  turns.byNumber.erase(5);
  const Columns columns(turns, 0, 33);
  const RowBatch rows = columns.batch();
  std::vector<std::uint64_t> words(segmentBytes(kDimension, rows.count, rows.termCounts.size()) / 8 + 1);
  const std::span bytes = std::as_writable_bytes(std::span(words)).first(segmentBytes(kDimension, rows.count, rows.termCounts.size()));
  EXPECT(packSegment(kDimension, rows, bytes).ok(), "packed");
  RowBatch packed;
  EXPECT(readSegment(bytes, kDimension, packed).ok(), "read");
  Shard fromRows(kDimension, VectorFormat::f32), fromSegment(kDimension, VectorFormat::f32);
  loadFresh(fromRows, turns, 0);
  EXPECT(follow(fromSegment, {{0, 0}, {33, 0}, {}, 0}, packed), "followed");
  EXPECT(answersAlike(fromRows, fromSegment), "both answer alike");

  EXPECT(!readSegment(bytes, kDimension + 1, packed).ok(), "another dimension is refused");
  EXPECT(!readSegment(bytes.first(bytes.size() - 1), kDimension, packed).ok(), "a cut one too");
  EXPECT(!readSegment(bytes.first(20), kDimension, packed).ok(), "even within its header");
  // The reserved bytes of the header mean nothing; every other bit does.
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 24 && at < 64) continue;
    bytes[at] ^= std::byte(1 << at % 8);
    EXPECT(!readSegment(bytes, kDimension, packed).ok(), "a flipped bit is refused");
    bytes[at] ^= std::byte(1 << at % 8);
  }
}

void compactionIsDueAtAQuarter() {
  Turns turns;
  turns.observe(400);
  Shard shard(kDimension, VectorFormat::f32);
  loadFresh(shard, turns, 0);
  std::vector<std::uint32_t> forgotten;
  for (std::uint32_t number = 0; number < 99; ++number) forgotten.push_back(number * 3);
  EXPECT(follow(shard, {{400, 0}, {400, 1}, forgotten, 0}, {}), "99 of 400 are forgotten");
  EXPECT(!Shard::isCompactionDue(shard.snapshot()), "less than a quarter");
  const std::uint32_t one = 1;
  EXPECT(follow(shard, {{400, 1}, {400, 2}, {&one, 1}, 0}, {}), "100 of 400");
  EXPECT(Shard::isCompactionDue(shard.snapshot()), "a quarter");
  const Answer before = ask(shard, 4);
  EXPECT(shard.compactIfDue().ok() && shard.snapshot().rows == 300, "the forgotten rows are gone");
  EXPECT(agree(before, ask(shard, 4)), "the answers stay, numbers and all");
  EXPECT(shard.snapshot().rowOfStored(1) == kNoRow && shard.snapshot().rowOfStored(2) == 0, "numbers are the store's");
}

/// 3 turns of 384 dimensions with a dozen terms each.
void aSmallUserIsSmall() {
  constexpr std::size_t kWide = 384;
  const std::vector<float> vectors(3 * kWide, 0.05f);
  const std::vector<double> atMs(3, 1);
  const std::vector<std::uint32_t> ones(3, 1), offsets{0, 12, 24, 36};
  std::vector<std::uint32_t> terms;
  for (std::uint32_t term = 0; term < 36; ++term) terms.insert(terms.end(), {term * 77, term});
  const std::vector<std::uint16_t> counts(36, 1);
  EpochDomain::process().reclaim();
  const std::size_t before = allocated;
  {
    Shard shard(kWide, VectorFormat::f32);
    Row first = 0;
    EXPECT(shard.appendRows({3, vectors, atMs, ones, ones, {}, ones, offsets, terms, counts, ones}, first).ok(), "appended");
    EpochDomain::process().reclaim();
    EXPECT(allocated - before <= 8 * 1024, "three turns take at most 8 KB, everything counted");
    std::printf("{\"test\":\"small user\",\"bytes\":%zu,\"counted\":%zu}\n", allocated - before, shard.bytes());
  }
  EpochDomain::process().reclaim();
  EXPECT(allocated == before, "and give them back");
}

}  // namespace
}  // namespace ontomem::test

int main() {
  using namespace ontomem::test;
  forgettingLeavesNoTrace();
  aLateThreadChangesNothing();
  aFailedStepLeavesNothing();
  aSegmentIsTheRows();
  compactionIsDueAtAQuarter();
  aSmallUserIsSmall();
  return tally().report("follow");
}
