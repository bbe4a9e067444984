// Random operations on shards, held against a naive model.
// Usage: shard_fuzz [seed] [operations]. Build with -fsanitize=address,undefined.
#include <cstdio>
#include <cstdlib>

#include "../test/shard_world.hpp"

int main(int argc, char** argv) {
  using namespace ontomem;
  constexpr std::uint64_t kOperationsPerWorld = 5000;
  constexpr std::size_t kLargestRows = 200;
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t operations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20000;
  std::uint64_t done = 0;
  for (std::uint64_t world = 0; done < operations; ++world) {
    constexpr VectorFormat kFormats[] = {VectorFormat::f32, VectorFormat::bf16, VectorFormat::int8};
    test::ShardWorld shard(seed + world, kFormats[world % 3], kLargestRows);
    for (std::uint64_t i = 0; i < kOperationsPerWorld && done < operations; ++i, ++done) {
      if (!shard.step()) return 1;
    }
  }
  EpochDomain::process().reclaim();
  const bool freed = EpochDomain::process().pending() == 0 && MemoryAccount::processBytes() == 0;
  std::printf("{\"fuzz\":\"shard\",\"seed\":%llu,\"operations\":%llu,\"allFreed\":%s}\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(done), freed ? "true" : "false");
  return freed ? 0 : 1;
}
