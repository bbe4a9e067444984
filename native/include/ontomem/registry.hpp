// All shards of the process: one per scope and store, shared by every thread, under typed handles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ontomem/shard.hpp"

namespace ontomem {

/// Slot in the low 20 bits, generation of the slot above; fits a JavaScript number. 0 is no handle.
using ShardHandle = std::uint64_t;

/// Filling a shard from the store is one caller's job.
enum class LoadState : std::uint8_t { empty, loading, ready };

/// A resident shard: its key, its openers, its last use.
class ResidentShard final : public Reclaimable {
 public:
  ResidentShard(ShardHandle handle, std::string key, std::size_t dimension, VectorFormat format)
      : handle(handle), key(std::move(key)), dimension(dimension), format(format), shard(dimension, format) {}

  const ShardHandle handle;
  const std::string key;
  /// Here too, since whoever opens the shard again has no snapshot pinned to read them from.
  const std::size_t dimension;
  const VectorFormat format;
  Shard shard;
  std::atomic<LoadState> state{LoadState::empty};
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

  /// The shard of that key, made empty if there is none. Opening with another dimension or format is
  /// refused. Throws std::bad_alloc.
  Outcome open(const std::string& key, std::size_t dimension, VectorFormat format, ShardHandle& handle);

  /// Gives back one opening; the last one drops the shard.
  Outcome close(ShardHandle handle);

  /// Drops the shard for all its openers: their handles are stale from now on.
  Outcome evict(ShardHandle handle);

  /// Null when the handle is stale. Marks the shard as used.
  ResidentShard* find(ShardHandle handle) noexcept;

  /// Least recently used shards whose eviction brings the resident bytes to `limitBytes`; fills what
  /// fits and returns how many. O(shards log shards). Throws std::bad_alloc.
  std::size_t evictionCandidates(std::size_t limitBytes, std::span<double> handles);

 private:
  static constexpr std::size_t kSlotsPerChunk = 1024;
  static constexpr std::size_t kChunks = 1024;
  using Chunk = std::array<std::atomic<ResidentShard*>, kSlotsPerChunk>;

  struct Residency {
    ShardHandle handle;
    std::size_t openings;
  };

  std::atomic<ResidentShard*>* slotOf(ShardHandle handle) const noexcept;
  ShardHandle takeSlot();
  void drop(ShardHandle handle) noexcept;

  std::mutex mutex_;
  std::unordered_map<std::string, Residency> byKey_;
  std::vector<ShardHandle> freeSlots_;
  std::size_t slotCount_ = 1;
  std::atomic<std::uint64_t> clock_{0};
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
};

}  // namespace ontomem
