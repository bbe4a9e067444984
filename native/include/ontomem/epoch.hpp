// Epoch-based reclamation: readers pin an epoch and never block; writers retire what they unpublished.
//
// Protocol. A reader stores the current epoch into its slot, then loads published pointers. A writer
// replaces a published pointer, then advances the epoch and retires the old object with the new epoch.
// All four are sequentially consistent, so a reader that still got the old pointer shows a smaller
// epoch, and the object is freed only when every active pin is at or past the epoch of its retirement.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ontomem {

/// One reader's pin: 0 = not reading. A cache line of its own, so that pins never share one.
struct alignas(64) EpochSlot {
  std::atomic<std::uint64_t> pinned{0};
  std::atomic<bool> taken{false};
  EpochSlot* following = nullptr;
};

/// What can be retired. The links are inside, so that retiring never allocates and never fails.
class Reclaimable {
 public:
  virtual ~Reclaimable() = default;

 private:
  friend class EpochDomain;
  mutable std::uint64_t retiredAt_ = 0;
  mutable const Reclaimable* following_ = nullptr;
};

/// One domain for the process: shards, models and maps all retire into it.
class EpochDomain {
 public:
  /// Never destroyed: worker threads may still read while the process exits.
  static EpochDomain& process();

  /// A slot for one thread, reused after `releaseSlot`. O(slots). Throws std::bad_alloc.
  EpochSlot& acquireSlot();
  void releaseSlot(EpochSlot& slot) noexcept;

  std::uint64_t current() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  /// Takes over an object that no published pointer names any more; frees it when no pin can see it.
  void retire(const Reclaimable* object) noexcept;

  /// Frees what no pin can see. Called after each write, once the writer itself has unpinned.
  void reclaim() noexcept;

  /// Retired objects not freed yet. O(their number).
  std::size_t pending() noexcept;

 private:
  std::uint64_t oldestPin() const noexcept;

  std::atomic<std::uint64_t> epoch_{1};
  std::atomic<EpochSlot*> slots_{nullptr};
  std::mutex mutex_;
  const Reclaimable* retired_ = nullptr;
};

/// Keeps everything published at construction alive until destruction. About 2 ns. Not reentrant.
class Pin {
 public:
  explicit Pin(EpochSlot& slot) noexcept : slot_(slot) {
    slot_.pinned.store(EpochDomain::process().current(), std::memory_order_seq_cst);
  }
  ~Pin() { slot_.pinned.store(0, std::memory_order_release); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  EpochSlot& slot_;
};

}  // namespace ontomem
