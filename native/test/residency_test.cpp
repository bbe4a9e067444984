// Handles, residency, memory and formats.
#include <cmath>
#include <random>

#include "../bench/conversation.hpp"
#include "expect.hpp"
#include "ontomem/registry.hpp"
#include "ontomem/search.hpp"
#include "small_shard.hpp"

namespace ontomem::test {
namespace {

ResidentShard* find(ShardHandle handle) { return ShardRegistry::process().find(handle); }

void oneKeyIsOneShard() {
  ShardRegistry& registry = ShardRegistry::process();
  ShardHandle first = 0, second = 0, other = 0;
  EXPECT(registry.open("store", "a", 2, VectorFormat::f32, first).ok(), "opened");
  EXPECT(registry.open("store", "a", 2, VectorFormat::f32, second).ok(), "opened again");
  EXPECT(registry.open("store", "b", 2, VectorFormat::f32, other).ok(), "another");
  EXPECT(first == second && first != other, "the same key is the same shard");
  EXPECT(registry.open("store", "a", 3, VectorFormat::f32, other).status == Status::badArgument, "never in another dimension");
  EXPECT(registry.open("store", "a", 2, VectorFormat::bf16, other).status == Status::badArgument, "or another format");
  EXPECT(registry.close(first).ok() && find(first) != nullptr, "one opener leaves, the shard stays");
  EXPECT(registry.close(first).ok() && find(first) == nullptr, "the last one takes it along");
  EXPECT(registry.close(first).status == Status::staleHandle, "then the handle is stale");
  ShardHandle next = 0;
  EXPECT(registry.open("store", "c", 2, VectorFormat::f32, next).ok() && find(first) == nullptr, "a reused slot does not revive it");
  EXPECT(registry.open("another store", "a", 2, VectorFormat::f32, second).ok() && second != first, "the same scope elsewhere is another");
  EXPECT(registry.evict(second).ok(), "evicted");
  EXPECT(find(0) == nullptr && find(12345678901) == nullptr, "numbers that never were handles");
  EXPECT(registry.evict(next).ok() && registry.evict(other).ok(), "evicted");
  EpochDomain::process().reclaim();
  EXPECT(MemoryAccount::processBytes() == 0, "all memory is back");
}

void theLeastRecentlyUsedGoesFirst() {
  ShardRegistry& registry = ShardRegistry::process();
  ShardHandle handles[4], elsewhere = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT(registry.open("store", std::string(1, char('p' + i)), 2, VectorFormat::f32, handles[i]).ok(), "opened");
    append(find(handles[i])->shard, {{1, 0}});
  }
  EXPECT(registry.open("another store", "p", 2, VectorFormat::f32, elsewhere).ok(), "another store");
  append(find(elsewhere)->shard, {{1, 0}});
  EpochDomain::process().reclaim();
  const std::size_t one = find(handles[3])->shard.bytes();
  find(handles[0]);
  EXPECT(registry.makeRoom(handles[3], 4 * one) == 0, "all four fit");
  EXPECT(registry.makeRoom(handles[3], 3 * one) == 1 && !find(handles[1]), "the one not used for longest goes");
  EXPECT(registry.makeRoom(handles[2], 0) == 2 && find(handles[2]), "all but the one that is kept");
  EXPECT(!find(handles[0]) && !find(handles[3]), "are gone");
  EXPECT(registry.makeRoom(handles[2], 0) == 0 && find(handles[2]), "it stays, however often");
  EXPECT(find(elsewhere) != nullptr, "other stores have a limit of their own");
  EXPECT(registry.makeRoom(handles[0], 0) == 0, "a stale handle evicts nothing");
  EXPECT(registry.evict(handles[2]).ok() && registry.evict(elsewhere).ok(), "evicted");
  EpochDomain::process().reclaim();
}

/// Many users through a small room: which ones stay is the order of use, whatever was filed when.
void evictionFollowsUse() {
  ShardRegistry& registry = ShardRegistry::process();
  std::vector<ShardHandle> order;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    ShardHandle handle = 0;
    EXPECT(registry.open("store", std::to_string(i), 2, VectorFormat::f32, handle).ok(), "opened");
    append(find(handle)->shard, {{1, 0}});
    order.push_back(handle);
    for (int use = 0; use < 3; ++use) {
      const auto used = order.begin() + static_cast<std::ptrdiff_t>(random() % order.size());
      const ShardHandle again = *used;
      EXPECT(find(again) != nullptr, "what is in the room is there");
      order.erase(used);
      order.push_back(again);
    }
    if (i % 10 != 9) continue;
    const std::size_t evicted = registry.makeRoom(order.back(), order.size() / 2 * find(order.back())->shard.bytes());
    for (std::size_t gone = 0; gone < evicted; ++gone) EXPECT(!find(order[gone]), "the ones used longest ago went");
    order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(evicted));
  }
  for (const ShardHandle handle : order) (void)registry.evict(handle);
  EpochDomain::process().reclaim();
  EXPECT(MemoryAccount::processBytes() == 0, "all memory is back");
}

void aUserSeenForTheFirstTimeIsCold() {
  ShardRegistry& registry = ShardRegistry::process();
  ShardHandle one = 0, large = 0;
  EXPECT(registry.open("store", "one", 2, VectorFormat::f32, one).ok(), "opened");
  EXPECT(find(one)->residency.load() == kernels::Residency::cold, "at first its rows are in no cache");
  EXPECT(find(one)->residency.load() == kernels::Residency::automatic, "right after that they are");
  EXPECT(registry.open("store", "large", 4096, VectorFormat::f32, large).ok(), "another");
  const std::vector<float> wide(4096, 0.01f);
  for (int i = 0; i < 1100; ++i) append(find(large)->shard, {wide, double(i)});
  EXPECT(find(one)->residency.load() == kernels::Residency::cold, "megabytes of another user push them out");
  EXPECT(registry.evict(one).ok() && registry.evict(large).ok(), "evicted");
  EpochDomain::process().reclaim();
}

void aPinnedReaderKeepsWhatItSees() {
  EpochSlot& slot = EpochDomain::process().acquireSlot();
  ShardHandle handle = 0;
  EXPECT(ShardRegistry::process().open("store", "pinned", 2, VectorFormat::f32, handle).ok(), "opened");
  append(find(handle)->shard, {{1, 0}, 5});
  {
    const Pin pin(slot);
    const Snapshot& snapshot = find(handle)->shard.snapshot();
    append(find(handle)->shard, {{0, 1}, 6});
    EXPECT(ShardRegistry::process().evict(handle).ok(), "evicted under a reader");
    EpochDomain::process().reclaim();
    EXPECT(EpochDomain::process().pending() > 0, "nothing it sees is freed");
    EXPECT(snapshot.rows == 1 && snapshot.columns.atMs()[0] == 5, "and it reads on");
  }
  EpochDomain::process().reclaim();
  EXPECT(EpochDomain::process().pending() == 0 && MemoryAccount::processBytes() == 0, "then all is freed");
  EpochDomain::process().releaseSlot(slot);
}

/// The paper keeps 14.5 MB a user of 87 turns and 111 MB at 696.
void usersAreSmall() {
  struct Goal {
    std::size_t turns;
    std::size_t bytes;
  };
  for (const Goal goal : {Goal{87, 600'000}, Goal{348, 2'300'000}, Goal{696, 4'500'000}}) {
    std::mt19937_64 random(1);
    Shard shard(384, VectorFormat::f32);
    bench::fillShard(shard, 384, goal.turns, random);
    EpochDomain::process().reclaim();
    EXPECT(shard.bytes() <= goal.bytes, "a user's memory stays below its goal");
  }
  EpochDomain::process().reclaim();
}

void quantisedSearchFindsTheSame() {
  constexpr std::size_t kDimension = 64;
  constexpr std::size_t kTurns = 3000;
  Shard exact(kDimension, VectorFormat::f32), quantised(kDimension, VectorFormat::int8);
  std::mt19937_64 left(9), right(9);
  bench::fillShard(exact, kDimension, kTurns, left);
  bench::fillShard(quantised, kDimension, kTurns, right);
  ReaderScratch scratch;
  Row rows[2][10];
  float scores[2][10];
  std::uint32_t count = 0;
  std::mt19937_64 random(4);
  for (int i = 0; i < 20; ++i) {
    const bench::Question question = bench::makeQuestion(kDimension, 0, random);
    EXPECT(searchFlat(exact.snapshot(), question.vector, 10, scratch, rows[0], scores[0], {&count, 1}).ok(), "exact");
    EXPECT(searchFlat(quantised.snapshot(), question.vector, 10, scratch, rows[1], scores[1], {&count, 1}).ok(), "int8");
    EXPECT(std::equal(rows[0], rows[0] + 10, rows[1]), "rescoring makes the top ten the exact ones");
    Ask ask[2];
    for (Ask& each : ask) {
      each.view(question.vector);
      each.parameters.denseQuota = 20;
    }
    EXPECT(ask[0].of(exact).ok() && ask[1].of(quantised).ok(), "both recall");
    for (std::size_t place = 0; place < 10; ++place) {
      EXPECT(ask[0].rows[place] == ask[1].rows[place], "the recall's top ten too");
      const Row row = ask[0].rows[place];
      const float difference = ask[0].featureOf(row, feature::dense0) - ask[1].featureOf(row, feature::dense0);
      EXPECT(std::abs(difference) < 1e-6f, "with exact inner products");
    }
  }
  EXPECT(exact.snapshot().vectors.scanFormat(kTurns) == VectorFormat::f32, "f32 scans f32");
  EXPECT(quantised.snapshot().vectors.scanFormat(kTurns) == VectorFormat::int8, "int8 scans int8 from 1,024 rows on");
}

}  // namespace
}  // namespace ontomem::test

int main() {
  using namespace ontomem::test;
  oneKeyIsOneShard();
  theLeastRecentlyUsedGoesFirst();
  evictionFollowsUse();
  aUserSeenForTheFirstTimeIsCold();
  aPinnedReaderKeepsWhatItSees();
  usersAreSmall();
  quantisedSearchFindsTheSame();
  return tally().report("residency");
}
