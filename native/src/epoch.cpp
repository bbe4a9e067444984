#include "ontomem/epoch.hpp"

#include <algorithm>
#include <limits>

namespace ontomem {

EpochDomain& EpochDomain::process() {
  static EpochDomain* const domain = new EpochDomain;
  return *domain;
}

EpochSlot& EpochDomain::acquireSlot() {
  for (EpochSlot* slot = slots_.load(std::memory_order_acquire); slot; slot = slot->following) {
    bool taken = false;
    if (slot->taken.compare_exchange_strong(taken, true)) return *slot;
  }
  auto* const slot = new EpochSlot;
  slot->taken.store(true, std::memory_order_relaxed);
  slot->following = slots_.load(std::memory_order_relaxed);
  while (!slots_.compare_exchange_weak(slot->following, slot, std::memory_order_seq_cst)) {
  }
  return *slot;
}

void EpochDomain::releaseSlot(EpochSlot& slot) noexcept {
  slot.pinned.store(0, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

void EpochDomain::retire(const Reclaimable* object) noexcept {
  const std::uint64_t epoch = epoch_.fetch_add(1, std::memory_order_seq_cst) + 1;
  const std::lock_guard guard(mutex_);
  object->retiredAt_ = epoch;
  object->following_ = retired_;
  retired_ = object;
}

void EpochDomain::reclaim() noexcept {
  const Reclaimable* unseen = nullptr;
  {
    const std::lock_guard guard(mutex_);
    const std::uint64_t oldest = oldestPin();
    const Reclaimable** link = &retired_;
    while (const Reclaimable* const object = *link) {
      if (object->retiredAt_ > oldest) {
        link = &object->following_;
        continue;
      }
      *link = object->following_;
      object->following_ = unseen;
      unseen = object;
    }
  }
  // Outside the lock: freeing gigabytes must not hold up another writer.
  while (unseen) {
    const Reclaimable* const following = unseen->following_;
    delete unseen;
    unseen = following;
  }
}

std::size_t EpochDomain::pending() noexcept {
  const std::lock_guard guard(mutex_);
  std::size_t count = 0;
  for (const Reclaimable* object = retired_; object; object = object->following_) ++count;
  return count;
}

std::uint64_t EpochDomain::oldestPin() const noexcept {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const EpochSlot* slot = slots_.load(std::memory_order_seq_cst); slot; slot = slot->following) {
    const std::uint64_t pinned = slot->pinned.load(std::memory_order_seq_cst);
    if (pinned != 0) oldest = std::min(oldest, pinned);
  }
  return oldest;
}

}  // namespace ontomem
