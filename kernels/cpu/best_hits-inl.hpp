// The k best hits so far: in the caller's own array, or selected from a larger buffer.
#pragma once

#include "portable-inl.hpp"

namespace ontomem::kernels {
namespace {

/// Up to this k a sorted array with insertion is the fastest (5 ns an entry at k = 10).
inline constexpr std::size_t kInsertionK = 32;

/// A hit as one integer whose order is the order of hits: score in the high half, mapped so that
/// integers compare as the floats do, then the row. Signed, because AVX2 compares only signed words.
using HitKey = std::int64_t;
static_assert(sizeof(Hit) == sizeof(HitKey));

ONTOMEM_INLINE HitKey keyOf(float score, std::uint32_t row) {
  // Adding zero turns -0 into +0: they are equal scores. Negative floats order backwards: flip them.
  const std::int32_t bits = static_cast<std::int32_t>(bitsOf(score + 0.0f));
  const std::int32_t ordered = bits ^ ((bits >> 31) & 0x7fffffff);
  return static_cast<HitKey>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(ordered)) << 32 | row);
}

ONTOMEM_INLINE Hit hitOf(HitKey key) {
  const std::int32_t ordered = static_cast<std::int32_t>(key >> 32);
  return {floatOf(static_cast<std::uint32_t>(ordered ^ ((ordered >> 31) & 0x7fffffff))),
          static_cast<std::uint32_t>(key)};
}

/// Rows may be offered in any order. `threshold` is the score below which an offer cannot enter:
/// compare with >= before offering, because of equal scores the higher row wins.
/// About k + k ln(n / k) offers of n rows in random order enter; each costs O(k) moves up to kInsertionK
/// and O(log k) beyond.
template <class Simd>
class BestHits {
 public:
  BestHits() = default;
  /// `hits` has room for k; it holds keys until `finish`.
  BestHits(Hit* hits, std::size_t k) : keys_(reinterpret_cast<char*>(hits)), k_(k) {}

  float threshold() const { return threshold_; }

  void offer(float score, std::uint32_t row) {
    offerKey(keyOf(score, row));
  }

  void offerKey(HitKey key) {
    if (k_ <= kInsertionK) {
      insertSorted(key);
    } else {
      insertHeap(key);
    }
  }

  /// Turns the keys into hits, best first; returns how many.
  std::size_t finish() {
    if (k_ > kInsertionK) sortHeap();
    for (std::size_t i = 0; i < count_; ++i) {
      const Hit hit = hitOf(at(i));
      std::memcpy(keys_ + i * sizeof(HitKey), &hit, sizeof hit);
    }
    return count_;
  }

 private:
  // The array's type is Hit: keys go in and out as bytes.
  HitKey at(std::size_t i) const {
    HitKey key;
    std::memcpy(&key, keys_ + i * sizeof(HitKey), sizeof key);
    return key;
  }
  void put(std::size_t i, HitKey key) { std::memcpy(keys_ + i * sizeof(HitKey), &key, sizeof key); }

  void insertSorted(HitKey key) {
    if (count_ < k_) {
      ++count_;
    } else if (key < at(k_ - 1)) {
      return;
    }
    std::size_t hole = count_ - 1;
    for (; hole > 0 && at(hole - 1) < key; --hole) put(hole, at(hole - 1));
    put(hole, key);
    if (count_ == k_) threshold_ = hitOf(at(k_ - 1)).score;
  }

  // The root is the worst hit kept; the heap is only built once k hits have come.
  void insertHeap(HitKey key) {
    if (count_ < k_) {
      put(count_++, key);
      if (count_ < k_) return;
      makeHeap();
    } else if (key > at(0)) {
      siftDown(0, k_, key);
    } else {
      return;
    }
    threshold_ = hitOf(at(0)).score;
  }

  void sortHeap() {
    if (count_ < k_) makeHeap();
    for (std::size_t end = count_; end > 1; --end) {
      const HitKey last = at(end - 1);
      put(end - 1, at(0));
      siftDown(0, end - 1, last);
    }
  }

  void makeHeap() {
    for (std::size_t i = count_ / 2; i-- > 0;) siftDown(i, count_, at(i));
  }

  void siftDown(std::size_t hole, std::size_t end, HitKey key) {
    for (std::size_t child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
      if (child + 1 < end && at(child + 1) < at(child)) ++child;
      if (key <= at(child)) break;
      put(hole, at(child));
      hole = child;
    }
    put(hole, key);
  }

  char* keys_ = nullptr;
  std::size_t k_ = 0;
  std::size_t count_ = 0;
  float threshold_ = -kInfinity;
};

/// Beyond kInsertionK one query has room for a buffer: offers are appended, and a full buffer is cut to
/// its k best in O(buffer). Amortised O(1) an offer: 3-5 times faster than the heap at k = 64.
template <class Simd, std::size_t kMostHits>
class SelectedHits {
 public:
  explicit SelectedHits(std::size_t k) : k_(k), capacity_(k < 128 ? 256 : 2 * k) {}

  float threshold() const { return threshold_; }

  void offer(float score, std::uint32_t row) {
    keys_[count_++] = keyOf(score, row);
    if (count_ == capacity_) cut();
  }

  /// Writes the best min(k, offered) in no order; returns how many.
  std::size_t finishUnordered(Hit* hits) {
    if (count_ > k_) cut();
    for (std::size_t i = 0; i < count_; ++i) hits[i] = hitOf(keys_[i]);
    return count_;
  }

  /// Writes the best min(k, offered), best first; returns how many.
  std::size_t finish(Hit* hits) {
    if (count_ > k_) cut();
    BestHits<Simd> sorted(hits, count_);
    for (std::size_t i = 0; i < count_; ++i) sorted.offerKey(keys_[i]);
    return sorted.finish();
  }

 private:
  /// Quickselect: leaves the k greatest keys in front. Keys differ (rows do), so every pass shrinks.
  void cut() {
    std::size_t begin = 0, end = count_;
    while (end - begin > 1) {
      const std::size_t split = partition(begin, end);
      if (split == k_) break;
      if (split < k_) {
        begin = split + 1;
        if (begin == k_) break;
      } else {
        end = split;
      }
    }
    count_ = k_;
    HitKey worst = keys_[0];
    for (std::size_t i = 1; i < k_; ++i) worst = keys_[i] < worst ? keys_[i] : worst;
    threshold_ = hitOf(worst).score;
  }

  /// Moves keys greater than a pivot to the front and the pivot behind them; returns its place.
  /// No branch depends on a key: half of them would be mispredicted.
  std::size_t partition(std::size_t begin, std::size_t end) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    const std::size_t at = begin + static_cast<std::size_t>((random_ >> 33) % (end - begin));
    const HitKey pivot = keys_[at];
    keys_[at] = keys_[end - 1];
    std::size_t place = begin;
    for (std::size_t i = begin; i + 1 < end; ++i) {
      const HitKey key = keys_[i];
      keys_[i] = keys_[place];
      keys_[place] = key;
      place += static_cast<std::size_t>(key > pivot);
    }
    keys_[end - 1] = keys_[place];
    keys_[place] = pivot;
    return place;
  }

  std::size_t k_;
  std::size_t capacity_;
  std::size_t count_ = 0;
  float threshold_ = -kInfinity;
  // Fixed seed: a random pivot only has to be one that no stored data can aim at by being sorted.
  std::uint64_t random_ = 1;
  HitKey keys_[2 * kMostHits];
};

}  // namespace
}  // namespace ontomem::kernels
