// All shards of the process: one per scope and store, shared by every thread, under typed handles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ontomem/shard.hpp"

namespace ontomem {

/// Slot in the low 20 bits, generation of the slot above; fits a JavaScript number. 0 is no handle.
using ShardHandle = std::uint64_t;

/// The resident shards of one store, under the registry's mutex.
struct ShardStore {
  struct Opened {
    ShardHandle handle;
    std::size_t openings;
  };

  /// A use as it was when it was filed: no later than the shard's last one.
  struct Use {
    std::uint64_t at;
    ShardHandle handle;
  };

  const std::string name;
  const std::shared_ptr<MemoryAccount> account = std::make_shared<MemoryAccount>();
  std::unordered_map<std::string, Opened> scopes = {};
  /// A heap, oldest first. Using a shard does not touch it: one that was used since it was filed is filed
  /// again when it comes up. Shards that were dropped stay in it until then, or until they are the most.
  std::vector<Use> uses = {};
};

/// A resident shard: where it belongs, its last use.
class ResidentShard final : public Reclaimable {
 public:
  ResidentShard(ShardHandle handle, ShardStore& store, std::string scope, std::size_t dimension,
                VectorFormat format)
      : handle(handle),
        store(store),
        scope(std::move(scope)),
        dimension(dimension),
        format(format),
        shard(dimension, format, store.account) {}

  const ShardHandle handle;
  /// Only while the shard is not dropped.
  ShardStore& store;
  const std::string scope;
  /// Here too, since whoever opens the shard again has no snapshot pinned to read them from.
  const std::size_t dimension;
  const VectorFormat format;
  Shard shard;
  /// On the registry's clock, which counts bytes of shards used.
  std::atomic<std::uint64_t> lastUse{0};
  /// As of the last `find`: so many bytes of other shards were used since the find before it that this one
  /// has probably left the caches.
  std::atomic<kernels::Residency> residency{kernels::Residency::cold};
};

/// `find` is lock-free and must run under a Pin; everything else takes a mutex.
class ShardRegistry {
 public:
  /// Never destroyed: worker threads may still read while the process exits.
  static ShardRegistry& process();

  /// The shard of that store and scope, made empty if there is none. Opening with another dimension or
  /// format is refused. Throws std::bad_alloc.
  Outcome open(const std::string& store, const std::string& scope, std::size_t dimension, VectorFormat format,
               ShardHandle& handle);

  /// Gives back one opening; the last one drops the shard.
  Outcome close(ShardHandle handle);

  /// Drops the shard for all its openers: their handles are stale from now on.
  Outcome evict(ShardHandle handle);

  /// Null when the handle is stale. Marks the shard as used.
  ResidentShard* find(ShardHandle handle) noexcept;

  /// Evicts the least recently used shards of the store of `kept`, but not `kept`, until the store's bytes
  /// are at most `limitBytes`; returns how many went. O(log shards) each, O(1) when none has to go. A reader
  /// that holds a snapshot delays the return of its bytes, not the eviction.
  std::size_t makeRoom(ShardHandle kept, std::size_t limitBytes);

 private:
  static constexpr std::size_t kSlotsPerChunk = 1024;
  static constexpr std::size_t kChunks = 1024;
  using Chunk = std::array<std::atomic<ResidentShard*>, kSlotsPerChunk>;

  std::atomic<ResidentShard*>* slotOf(ShardHandle handle) const noexcept;
  /// Null when the handle is stale; with the mutex held.
  ResidentShard* resident(ShardHandle handle) const noexcept;
  ShardHandle takeSlot();
  /// The shard opened or made.
  Outcome openIn(ShardStore& store, const std::string& scope, std::size_t dimension, VectorFormat format,
                 ShardHandle& handle);
  void file(ShardStore& store, ShardHandle handle);
  void drop(const ResidentShard& shard) noexcept;
  void dropStoreIfEmpty(ShardStore& store) noexcept;
  /// Takes the shard used longest ago out of the heap; null when there is none.
  const ResidentShard* takeOldest(ShardStore& store) noexcept;

  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<ShardStore>> stores_;
  std::vector<ShardHandle> freeSlots_;
  std::size_t slotCount_ = 1;
  std::atomic<std::uint64_t> clock_{0};
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
};

}  // namespace ontomem
