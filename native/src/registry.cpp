#include "ontomem/registry.hpp"

#include <algorithm>
#include <memory>

namespace ontomem {
namespace {

constexpr unsigned kSlotBits = 20;
constexpr ShardHandle kSlotMask = (ShardHandle{1} << kSlotBits) - 1;
/// Generations wrap below 2^32, so that a handle stays an exact JavaScript number.
constexpr ShardHandle kGenerationStep = ShardHandle{1} << kSlotBits;
constexpr ShardHandle kHandleLimit = ShardHandle{1} << 52;

/// What a core's share of the caches keeps between two uses of a shard (streaming falls from 95 to 50 GB/s
/// between 8 and 24 MB).
constexpr std::uint64_t kCacheBytes = std::uint64_t{16} << 20;

constexpr Outcome stale() { return {Status::staleHandle, "handle: the shard was closed or evicted"}; }

}  // namespace

ShardRegistry& ShardRegistry::process() {
  static ShardRegistry* const registry = new ShardRegistry;
  return *registry;
}

std::atomic<ResidentShard*>* ShardRegistry::slotOf(ShardHandle handle) const noexcept {
  const ShardHandle slot = handle & kSlotMask;
  Chunk* const chunk = chunks_[slot / kSlotsPerChunk].load(std::memory_order_acquire);
  return chunk ? &(*chunk)[slot % kSlotsPerChunk] : nullptr;
}

ResidentShard* ShardRegistry::find(ShardHandle handle) noexcept {
  std::atomic<ResidentShard*>* const slot = slotOf(handle);
  ResidentShard* const shard = slot ? slot->load(std::memory_order_seq_cst) : nullptr;
  // The slot may hold another scope's shard by now: only the handle it was made for is right.
  if (!shard || shard->handle != handle) return nullptr;
  const std::uint64_t bytes = shard->shard.bytes() + 1;
  const std::uint64_t now = clock_.fetch_add(bytes, std::memory_order_relaxed);
  const std::uint64_t last = shard->lastUse.exchange(now + bytes, std::memory_order_relaxed);
  // Another thread's later use leaves `last` ahead of `now`: in use is warm.
  const bool cold = last == 0 || (now > last && now - last > kCacheBytes);
  shard->residency.store(cold ? kernels::Residency::cold : kernels::Residency::automatic,
                         std::memory_order_relaxed);
  return shard;
}

ShardHandle ShardRegistry::takeSlot() {
  if (!freeSlots_.empty()) {
    const ShardHandle handle = freeSlots_.back();
    freeSlots_.pop_back();
    return handle;
  }
  if (slotCount_ == kSlotsPerChunk * kChunks) return 0;
  std::atomic<Chunk*>& chunk = chunks_[slotCount_ / kSlotsPerChunk];
  if (!chunk.load(std::memory_order_relaxed)) chunk.store(new Chunk{}, std::memory_order_release);
  // Room for its return, so that dropping a shard never allocates.
  freeSlots_.reserve(slotCount_);
  return kGenerationStep | slotCount_++;
}

Outcome ShardRegistry::open(const std::string& key, std::size_t dimension, VectorFormat format,
                            ShardHandle& handle) {
  if (dimension < 1 || dimension > kernels::kMaxDimension) return badArgument("dimension: not within 1..4096");
  const std::lock_guard guard(mutex_);
  const auto known = byKey_.find(key);
  if (known != byKey_.end()) {
    const ResidentShard& resident = *slotOf(known->second.handle)->load();
    if (resident.dimension != dimension) return badArgument("dimension: another than the resident shard's");
    if (resident.format != format) return badArgument("format: another than the resident shard's");
    ++known->second.openings;
    handle = known->second.handle;
    return {};
  }
  const ShardHandle made = takeSlot();
  if (made == 0) return {Status::limitExceeded, "shards: too many resident"};
  try {
    auto resident = std::make_unique<ResidentShard>(made, key, dimension, format);
    byKey_.emplace(key, Residency{made, 1});
    slotOf(made)->store(resident.release(), std::memory_order_seq_cst);
  } catch (...) {
    freeSlots_.push_back(made);
    throw;
  }
  handle = made;
  return {};
}

void ShardRegistry::drop(ShardHandle handle) noexcept {
  const ResidentShard* const shard = slotOf(handle)->exchange(nullptr, std::memory_order_seq_cst);
  byKey_.erase(shard->key);
  const ShardHandle following = handle + kGenerationStep;
  freeSlots_.push_back(following < kHandleLimit ? following : kGenerationStep | (handle & kSlotMask));
  EpochDomain::process().retire(shard);
}

Outcome ShardRegistry::close(ShardHandle handle) {
  const std::lock_guard guard(mutex_);
  const std::atomic<ResidentShard*>* const slot = slotOf(handle);
  const ResidentShard* const shard = slot ? slot->load() : nullptr;
  if (!shard || shard->handle != handle) return stale();
  const auto known = byKey_.find(shard->key);
  if (--known->second.openings == 0) drop(handle);
  return {};
}

Outcome ShardRegistry::evict(ShardHandle handle) {
  const std::lock_guard guard(mutex_);
  const std::atomic<ResidentShard*>* const slot = slotOf(handle);
  const ResidentShard* const shard = slot ? slot->load() : nullptr;
  if (!shard || shard->handle != handle) return stale();
  drop(handle);
  return {};
}

std::size_t ShardRegistry::evictionCandidates(std::size_t limitBytes, std::span<double> handles) {
  struct Use {
    std::uint64_t lastUse;
    std::size_t bytes;
    ShardHandle handle;
  };
  const std::lock_guard guard(mutex_);
  std::vector<Use> uses;
  std::size_t resident = 0;
  for (const auto& [key, residency] : byKey_) {
    const ResidentShard* const shard = slotOf(residency.handle)->load();
    const std::size_t bytes = shard->shard.bytes();
    uses.push_back({shard->lastUse.load(std::memory_order_relaxed), bytes, residency.handle});
    resident += bytes;
  }
  std::sort(uses.begin(), uses.end(), [](const Use& left, const Use& right) { return left.lastUse < right.lastUse; });
  std::size_t count = 0;
  for (const Use& use : uses) {
    if (resident <= limitBytes || count == handles.size()) break;
    handles[count++] = static_cast<double>(use.handle);
    resident -= use.bytes;
  }
  return count;
}

}  // namespace ontomem
