// The k best hits so far, kept in the caller's own array.
#pragma once

#include "portable-inl.hpp"

namespace ontomem::kernels {
namespace {

/// Up to this k a sorted array with insertion is faster than a heap.
inline constexpr std::size_t kInsertionK = 64;

ONTOMEM_INLINE bool ranksBefore(const Hit& left, const Hit& right) {
  return left.score > right.score || (left.score == right.score && left.row > right.row);
}

/// Rows may be offered in any order. `threshold` is the score below which an offer cannot enter:
/// compare with >= before offering, because of equal scores the higher row wins.
/// An offer costs O(k) moves up to kInsertionK and O(log k) beyond; k ln(n / k) offers are expected.
template <class Simd>
class BestHits {
 public:
  BestHits() = default;
  BestHits(Hit* hits, std::size_t k) : hits_(hits), k_(k) {}

  float threshold() const { return threshold_; }

  void offer(float score, std::uint32_t row) {
    if (k_ <= kInsertionK) {
      insertSorted({score, row});
    } else {
      insertHeap({score, row});
    }
  }

  /// Leaves the hits best first; returns how many.
  std::size_t finish() {
    if (k_ > kInsertionK) {
      if (count_ < k_) makeHeap();
      for (std::size_t end = count_; end > 1; --end) {
        const Hit last = hits_[end - 1];
        hits_[end - 1] = hits_[0];
        siftDown(0, end - 1, last);
      }
    }
    return count_;
  }

 private:
  void insertSorted(Hit hit) {
    if (count_ < k_) {
      ++count_;
    } else if (!ranksBefore(hit, hits_[k_ - 1])) {
      return;
    }
    std::size_t at = count_ - 1;
    for (; at > 0 && ranksBefore(hit, hits_[at - 1]); --at) hits_[at] = hits_[at - 1];
    hits_[at] = hit;
    if (count_ == k_) threshold_ = hits_[k_ - 1].score;
  }

  // The root is the worst hit kept; the heap is only built once k hits have come.
  void insertHeap(Hit hit) {
    if (count_ < k_) {
      hits_[count_++] = hit;
      if (count_ == k_) {
        makeHeap();
        threshold_ = hits_[0].score;
      }
    } else if (ranksBefore(hit, hits_[0])) {
      siftDown(0, k_, hit);
      threshold_ = hits_[0].score;
    }
  }

  void makeHeap() {
    for (std::size_t at = count_ / 2; at-- > 0;) siftDown(at, count_, hits_[at]);
  }

  void siftDown(std::size_t at, std::size_t end, Hit hit) {
    for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && ranksBefore(hits_[child], hits_[child + 1])) ++child;
      if (!ranksBefore(hit, hits_[child])) break;
      hits_[at] = hits_[child];
      at = child;
    }
    hits_[at] = hit;
  }

  Hit* hits_ = nullptr;
  std::size_t k_ = 0;
  std::size_t count_ = 0;
  float threshold_ = -kInfinity;
};

}  // namespace
}  // namespace ontomem::kernels
