// Readers against two threads that lead one shard, under ThreadSanitizer: no report, no torn answer.
// Usage: race_test [seconds] [readers].
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ontomem/recall.hpp"
#include "ontomem/registry.hpp"
#include "ontomem/search.hpp"

namespace ontomem::test {
namespace {

constexpr std::size_t kDimension = 32;
constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::size_t kLargestRows = 3000;

std::atomic<bool> stop{false};
std::atomic<std::uint64_t> reads{0};
std::atomic<std::uint64_t> writes{0};
std::atomic<int> failures{0};
std::atomic<std::uint64_t> staleCloses{0};
/// Handle of the shard of the moment: the writer evicts and reopens it now and then.
std::atomic<ShardHandle> current{0};

void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  failures.fetch_add(1);
}

ShardHandle openShared() {
  ShardHandle handle = 0;
  if (!ShardRegistry::process().open("store", "race", kDimension, VectorFormat::int8, handle).ok()) fail("open failed");
  return handle;
}

/// The turn with the store's number i has the vector e_(i mod d) and the length i mod 7: a reader can tell a
/// torn row from a whole one, wherever a compaction has moved it. Another thread may lead the shard meanwhile: then
/// nothing changes.
bool append(Shard& shard, std::mt19937& random) {
  const Position from = shard.snapshot().position;
  const std::uint32_t first = from.nextStored;
  const std::size_t count = 1 + random() % 20;
  std::vector<float> vectors(count * kDimension, 0);
  std::vector<double> atMs;
  std::vector<std::uint32_t> session, speaker, previous, flags, offsets{0}, terms, length;
  std::vector<std::uint16_t> counts;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Row>(first + i);
    vectors[i * kDimension + row % kDimension] = 1;
    atMs.push_back(row);
    session.push_back(row / 50);
    speaker.push_back(row % 3);
    flags.push_back(0);
    length.push_back(row % 7);
    terms.insert(terms.end(), {row % 11, 0});
    counts.push_back(1);
    offsets.push_back(static_cast<std::uint32_t>(i + 1));
  }
  const RowBatch batch{count, vectors, atMs, session, speaker, previous, flags, offsets, terms, counts, length};
  const Position to{static_cast<std::uint32_t>(first + count), from.changes};
  bool followed = false;
  return shard.follow({from, to, {}, 0}, batch, followed).ok();
}

bool writeOnce(Shard& shard, std::mt19937& random) {
  const Snapshot& now = shard.snapshot();
  const auto rows = now.rows;
  const auto edges = static_cast<std::uint32_t>(now.edges.size());
  const auto dice = random() % 16;
  if (rows == 0 || dice < 8) return append(shard, random);
  if (dice < 13) {
    const Node source = makeNode(NodeKind::concept_, static_cast<std::uint32_t>(random() % 5));
    const Row row = static_cast<Row>(random() % rows);
    const std::uint16_t type = edge_type::firstStored;
    const float weight = 0.5f;
    const double from = 0;
    std::uint32_t first = 0;
    return shard.appendEdges({1, {&source, 1}, {&row, 1}, {&type, 1}, {&weight, 1}, {&from, 1}, {&kForever, 1}, {&row, 1}}, first).ok();
  }
  if (dice == 13 && edges != 0) {
    const std::uint32_t edge = static_cast<std::uint32_t>(random() % edges);
    const float weight = 0.25f;
    return shard.setEdgeWeights({&edge, 1}, {&weight, 1}).ok();
  }
  if (dice == 14) {
    const Row row = static_cast<Row>(random() % rows);
    const float value = 0.5f;
    return shard.setProfile({&row, 1}, {&value, 1}).ok();
  }
  // As a store is followed: some turns went, and now and then enough for a compaction.
  std::vector<std::uint32_t> forgotten;
  const std::uint32_t next = now.position.nextStored;
  for (int i = 0; i < 8; ++i) forgotten.push_back(static_cast<std::uint32_t>(random() % next));
  bool followed = false;
  const Position to{next, now.position.changes + 1};
  return shard.follow({now.position, to, forgotten, 0}, {}, followed).ok() && shard.compactIfDue().ok();
}

/// A second thread that leads whatever shard the writer has open.
void runLeader(std::uint32_t seed) {
  EpochSlot& slot = EpochDomain::process().acquireSlot();
  std::mt19937 random(seed);
  while (!stop.load(std::memory_order_relaxed)) {
    {
      const Pin pin(slot);
      ResidentShard* const resident = ShardRegistry::process().find(current.load());
      if (resident && !append(resident->shard, random)) fail("a step of another thread failed");
    }
    EpochDomain::process().reclaim();
    std::this_thread::yield();
  }
  EpochDomain::process().releaseSlot(slot);
}

void runWriter(std::uint32_t seed) {
  EpochSlot& slot = EpochDomain::process().acquireSlot();
  std::mt19937 random(seed);
  ShardHandle handle = openShared();
  current.store(handle);
  while (!stop.load(std::memory_order_relaxed)) {
    std::uint32_t rows = 0;
    {
      const Pin pin(slot);
      ResidentShard* const resident = ShardRegistry::process().find(handle);
      if (!resident || !writeOnce(resident->shard, random)) fail("a write failed");
      if (resident) rows = resident->shard.snapshot().rows;
    }
    EpochDomain::process().reclaim();
    writes.fetch_add(1, std::memory_order_relaxed);
    if (rows < kLargestRows) continue;
    if (!ShardRegistry::process().evict(handle).ok()) fail("evict failed");
    handle = openShared();
    current.store(handle);
    EpochDomain::process().reclaim();
  }
  (void)ShardRegistry::process().evict(handle);
  EpochDomain::process().releaseSlot(slot);
}

void checkRows(const Snapshot& snapshot, const RecallOutput& output) {
  for (std::size_t i = 0; i < output.count; ++i) {
    const Row row = output.rows[i];
    if (row >= snapshot.rows || !snapshot.isLive(row)) return fail("a row that the snapshot does not have");
    if (snapshot.columns.length()[row] != snapshot.columns.stored()[row] % 7) return fail("a torn row");
    if (!(output.scores[i] >= 0 && output.scores[i] <= 1)) return fail("a score outside [0, 1]");
  }
}

void runReader(std::uint32_t seed) {
  EpochSlot& slot = EpochDomain::process().acquireSlot();
  ReaderScratch scratch;
  std::mt19937 random(seed);
  std::vector<Row> rows(64);
  std::vector<float> scores(64), parts(64 * part::count), features(64 * feature::count);
  std::vector<std::uint32_t> paths(64), counts(1);
  while (!stop.load(std::memory_order_relaxed)) {
    std::vector<float> query(kDimension, 0);
    query[random() % kDimension] = 1;
    const float weight = 1;
    const std::uint32_t terms[] = {static_cast<std::uint32_t>(random() % 11), 0};
    const Node seeds[] = {makeNode(NodeKind::concept_, static_cast<std::uint32_t>(random() % 5)), makeNode(NodeKind::speaker, 1)};
    const float seedWeights[] = {1, 0.5f};
    RecallRequest request{query, {&weight, 1}, terms, {}, seeds, seedWeights, {}, {}, {}, {}};
    RecallParameters& p = request.parameters;
    p.asOfMs = random() % 2 == 0 ? kForever : static_cast<double>(random() % 2000);
    p.nowMs = p.halfLifeMs = p.toMs = p.deadlineUs = kForever;
    p.fromMs = -kForever;
    p.session = p.speaker = p.speakerCue = p.scorer = p.maps = -1;
    p.denseWeight = 0.7;
    p.lexicalWeight = 0.3;
    p.previousGain = 0.35;
    p.nextGain = 0.2;
    p.bm25K1 = 1.2;
    p.bm25B = 0.75;
    p.contentWeight = p.graphWeight = p.calibrationSlope = p.hopDecay = 1;
    p.hops = 2;
    p.fanOut = 16;
    p.expansionBudget = 512;
    p.candidates = p.limit = 64;
    p.denseQuota = p.lexicalQuota = p.graphQuota = 8;
    RecallOutput output{rows, scores, parts, features, paths, {}, 0};
    if (random() % 16 == 0 && !ShardRegistry::process().close(openShared()).ok()) {
      // Between the two the writer may have evicted it.
      staleCloses.fetch_add(1, std::memory_order_relaxed);
    }
    const Pin pin(slot);
    ResidentShard* const resident = ShardRegistry::process().find(current.load());
    if (!resident) continue;
    const Snapshot& snapshot = resident->shard.snapshot();
    if (!recall(snapshot, request, scratch, output).ok()) fail("a recall failed");
    checkRows(snapshot, output);
    if (!searchFlat(snapshot, query, 5, scratch, rows, scores, counts).ok()) fail("a search failed");
    reads.fetch_add(1, std::memory_order_relaxed);
  }
  EpochDomain::process().releaseSlot(slot);
}

}  // namespace
}  // namespace ontomem::test

int main(int argc, char** argv) {
  using namespace ontomem::test;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const int readers = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<std::thread> threads;
  threads.emplace_back(runWriter, 1u);
  threads.emplace_back(runLeader, 2u);
  for (int i = 0; i < readers; ++i) threads.emplace_back(runReader, static_cast<std::uint32_t>(10 + i));
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  ontomem::EpochDomain::process().reclaim();
  const bool freed = ontomem::EpochDomain::process().pending() == 0 && ontomem::MemoryAccount::processBytes() == 0;
  std::printf("{\"test\":\"race\",\"seconds\":%g,\"readers\":%d,\"reads\":%llu,\"writes\":%llu,\"staleCloses\":%llu,\"failures\":%d,\"allFreed\":%s}\n",
              seconds, readers, static_cast<unsigned long long>(reads.load()),
              static_cast<unsigned long long>(writes.load()), static_cast<unsigned long long>(staleCloses.load()),
              failures.load(), freed ? "true" : "false");
  return failures.load() == 0 && freed ? 0 : 1;
}
