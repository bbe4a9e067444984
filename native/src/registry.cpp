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

/// So many stale entries of the heap of uses are not worth cleaning up after.
constexpr std::size_t kLeastStaleUses = 64;

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
  if (freeSlots_.capacity() < slotCount_) freeSlots_.reserve(2 * slotCount_);
  return kGenerationStep | slotCount_++;
}

ResidentShard* ShardRegistry::resident(ShardHandle handle) const noexcept {
  const std::atomic<ResidentShard*>* const slot = slotOf(handle);
  ResidentShard* const shard = slot ? slot->load(std::memory_order_seq_cst) : nullptr;
  return shard && shard->handle == handle ? shard : nullptr;
}

Outcome ShardRegistry::open(const std::string& store, const std::string& scope, std::size_t dimension,
                            VectorFormat format, ShardHandle& handle) {
  if (dimension < 1 || dimension > kernels::kMaxDimension) return badArgument("dimension: not within 1..4096");
  const std::lock_guard guard(mutex_);
  auto& place = stores_.try_emplace(store).first->second;
  try {
    if (!place) place.reset(new ShardStore{store});
    ShardStore& found = *place;
    const Outcome outcome = openIn(found, scope, dimension, format, handle);
    dropStoreIfEmpty(found);
    return outcome;
  } catch (...) {
    if (!place) stores_.erase(store);
    else dropStoreIfEmpty(*place);
    throw;
  }
}

Outcome ShardRegistry::openIn(ShardStore& store, const std::string& scope, std::size_t dimension,
                              VectorFormat format, ShardHandle& handle) {
  const auto known = store.scopes.find(scope);
  if (known != store.scopes.end()) {
    const ResidentShard& shard = *resident(known->second.handle);
    if (shard.dimension != dimension) return badArgument("dimension: another than the resident shard's");
    if (shard.format != format) return badArgument("format: another than the resident shard's");
    ++known->second.openings;
    handle = known->second.handle;
    return {};
  }
  const ShardHandle made = takeSlot();
  if (made == 0) return {Status::limitExceeded, "shards: too many resident"};
  try {
    auto shard = std::make_unique<ResidentShard>(made, store, scope, dimension, format);
    file(store, made);
    store.scopes.emplace(scope, ShardStore::Opened{made, 1});
    slotOf(made)->store(shard.release(), std::memory_order_seq_cst);
  } catch (...) {
    freeSlots_.push_back(made);
    throw;
  }
  handle = made;
  return {};
}

void ShardRegistry::drop(const ResidentShard& shard) noexcept {
  slotOf(shard.handle)->store(nullptr, std::memory_order_seq_cst);
  shard.store.scopes.erase(shard.scope);
  const ShardHandle following = shard.handle + kGenerationStep;
  freeSlots_.push_back(following < kHandleLimit ? following : kGenerationStep | (shard.handle & kSlotMask));
  EpochDomain::process().retire(&shard);
}

void ShardRegistry::dropStoreIfEmpty(ShardStore& store) noexcept {
  if (store.scopes.empty()) stores_.erase(stores_.find(store.name));
}

Outcome ShardRegistry::close(ShardHandle handle) {
  const std::lock_guard guard(mutex_);
  const ResidentShard* const shard = resident(handle);
  if (!shard) return stale();
  ShardStore& store = shard->store;
  if (--store.scopes.find(shard->scope)->second.openings != 0) return {};
  drop(*shard);
  dropStoreIfEmpty(store);
  return {};
}

Outcome ShardRegistry::evict(ShardHandle handle) {
  const std::lock_guard guard(mutex_);
  const ResidentShard* const shard = resident(handle);
  if (!shard) return stale();
  ShardStore& store = shard->store;
  drop(*shard);
  dropStoreIfEmpty(store);
  return {};
}

namespace {

bool isNewer(const ShardStore::Use& left, const ShardStore::Use& right) { return left.at > right.at; }

}  // namespace

void ShardRegistry::file(ShardStore& store, ShardHandle handle) {
  if (store.uses.size() > 2 * store.scopes.size() + kLeastStaleUses) {
    std::erase_if(store.uses, [this](const ShardStore::Use& use) { return resident(use.handle) == nullptr; });
    std::make_heap(store.uses.begin(), store.uses.end(), isNewer);
  }
  // Room for the one that makeRoom sets aside, so that evicting never allocates.
  if (store.uses.capacity() < store.uses.size() + 2) store.uses.reserve(2 * store.uses.size() + 2);
  store.uses.push_back({clock_.load(std::memory_order_relaxed), handle});
  std::push_heap(store.uses.begin(), store.uses.end(), isNewer);
}

const ResidentShard* ShardRegistry::takeOldest(ShardStore& store) noexcept {
  // Readers may use shards meanwhile: each is filed again once, then taken as it stands.
  for (std::size_t refilings = store.uses.size(); !store.uses.empty();) {
    std::pop_heap(store.uses.begin(), store.uses.end(), isNewer);
    ShardStore::Use& use = store.uses.back();
    const ResidentShard* const shard = resident(use.handle);
    const std::uint64_t lastUse = shard ? shard->lastUse.load(std::memory_order_relaxed) : 0;
    if (shard && lastUse > use.at && refilings > 0) {
      --refilings;
      use.at = lastUse;
      std::push_heap(store.uses.begin(), store.uses.end(), isNewer);
      continue;
    }
    store.uses.pop_back();
    if (shard) return shard;
  }
  return nullptr;
}

std::size_t ShardRegistry::makeRoom(ShardHandle kept, std::size_t limitBytes) {
  EpochDomain::process().reclaim();
  const std::lock_guard guard(mutex_);
  const ResidentShard* const keeper = resident(kept);
  if (!keeper) return 0;
  ShardStore& store = keeper->store;
  // What was evicted before and is still held by a reader counts: it is not there to be used.
  std::size_t bytes = store.account->bytes();
  std::size_t evicted = 0;
  bool wasTaken = false;
  while (bytes > limitBytes) {
    const ResidentShard* const oldest = takeOldest(store);
    if (!oldest) break;
    if (oldest == keeper) {
      wasTaken = true;
      continue;
    }
    bytes -= std::min(bytes, oldest->shard.bytes());
    drop(*oldest);
    ++evicted;
  }
  if (wasTaken) file(store, kept);
  return evicted;
}

}  // namespace ontomem
