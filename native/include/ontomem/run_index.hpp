// An inverted index that grows by appending: immutable sorted runs, merged as they add up.
//
// Runs hold contiguous ranges of appended values in order. A new run is merged with its neighbours
// while they are no more than twice its size and the result is no larger than kLargestRun, so there
// are O(log n + n / kLargestRun) runs, a lookup costs as many probes, and no append takes longer than
// one such merge. Runs are never changed: snapshots share them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ontomem/buffer.hpp"

namespace ontomem {

/// A merge moves about 100 million values a second: this many take 1.5 ms, and nothing may hold its thread
/// for more than 10. A million turns of 12 terms then have some 100 runs: 100 probes, 10 us, a term.
inline constexpr std::size_t kLargestRun = std::size_t{1} << 17;

template <class Key, class Value>
class RunIndex {
 public:
  struct Entry {
    Key key;
    Value value;
  };

  /// Keys ascending and distinct; values of key i are values[starts[i] .. starts[i + 1]).
  class Run {
   public:
    /// `entries` sorted by key; equal keys keep their order. Throws std::bad_alloc.
    Run(const std::shared_ptr<MemoryAccount>& account, std::span<const Entry> entries) {
      std::size_t keys = 0;
      for (std::size_t i = 0; i < entries.size(); ++i) keys += i == 0 || entries[i].key != entries[i - 1].key;
      allocate(account, keys, entries.size());
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i == 0 || entries[i].key != entries[i - 1].key) openKey(entries[i].key);
        values_[valueCount_++] = entries[i].value;
      }
      finish();
    }

    /// All values of `older` before those of `newer`, key by key. Throws std::bad_alloc.
    Run(const std::shared_ptr<MemoryAccount>& account, const Run& older, const Run& newer) {
      allocate(account, distinctKeys(older, newer), older.valueCount_ + newer.valueCount_);
      std::size_t left = 0;
      std::size_t right = 0;
      while (left < older.keyCount_ || right < newer.keyCount_) {
        const bool takeLeft = right == newer.keyCount_ ||
                              (left < older.keyCount_ && older.keys_[left] <= newer.keys_[right]);
        const bool takeRight = left == older.keyCount_ ||
                               (right < newer.keyCount_ && newer.keys_[right] <= older.keys_[left]);
        openKey(takeLeft ? older.keys_[left] : newer.keys_[right]);
        if (takeLeft) copyValues(older.valuesAt(left++));
        if (takeRight) copyValues(newer.valuesAt(right++));
      }
      finish();
    }

    std::size_t keyCount() const noexcept { return keyCount_; }
    std::size_t valueCount() const noexcept { return valueCount_; }
    Key key(std::size_t index) const noexcept { return keys_[index]; }
    std::span<const Value> valuesAt(std::size_t index) const noexcept {
      return {values_.data() + starts_[index], values_.data() + starts_[index + 1]};
    }

    /// Values of `key`, empty when there is none. O(1) for evenly spread keys, O(log keys) at worst.
    std::span<const Value> find(Key key) const noexcept {
      const std::size_t bucket = static_cast<std::size_t>(key >> shift_);
      if (bucket + 1 >= directory_.capacity()) return {};
      const Key* const first = keys_.data() + directory_[bucket];
      const Key* const last = keys_.data() + directory_[bucket + 1];
      const Key* const found = std::lower_bound(first, last, key);
      if (found == last || *found != key) return {};
      return valuesAt(static_cast<std::size_t>(found - keys_.data()));
    }

   private:
    /// Keys a bucket of the directory holds on average.
    static constexpr std::size_t kKeysPerBucket = 4;

    static std::size_t distinctKeys(const Run& older, const Run& newer) {
      std::size_t shared = 0;
      std::size_t right = 0;
      for (std::size_t left = 0; left < older.keyCount_; ++left) {
        while (right < newer.keyCount_ && newer.keys_[right] < older.keys_[left]) ++right;
        shared += right < newer.keyCount_ && newer.keys_[right] == older.keys_[left];
      }
      return older.keyCount_ + newer.keyCount_ - shared;
    }

    void allocate(const std::shared_ptr<MemoryAccount>& account, std::size_t keys, std::size_t values) {
      keys_ = SharedArray<Key>(account, keys);
      starts_ = SharedArray<std::uint32_t>(account, keys + 1);
      values_ = SharedArray<Value>(account, values);
      // Buckets cover [0, largest key] only: graph nodes are small numbers under a namespace.
      // At least two, so that the shift stays below the key's width.
      const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(keys / kKeysPerBucket, 2));
      directory_ = SharedArray<std::uint32_t>(account, buckets + 1);
    }

    void openKey(Key key) noexcept {
      keys_[keyCount_] = key;
      starts_[keyCount_++] = static_cast<std::uint32_t>(valueCount_);
    }

    void copyValues(std::span<const Value> values) noexcept {
      if (values.size() == 1) {
        // Most terms are in one turn only: no call for eight bytes.
        values_[valueCount_++] = values.front();
        return;
      }
      std::copy(values.begin(), values.end(), values_.data() + valueCount_);
      valueCount_ += values.size();
    }

    void finish() noexcept {
      starts_[keyCount_] = static_cast<std::uint32_t>(valueCount_);
      const std::size_t buckets = directory_.capacity() - 1;
      const Key largest = keyCount_ == 0 ? 0 : keys_[keyCount_ - 1];
      const unsigned bits = static_cast<unsigned>(std::bit_width(largest));
      const unsigned bucketBits = static_cast<unsigned>(std::bit_width(buckets) - 1);
      shift_ = bits > bucketBits ? bits - bucketBits : 0;
      std::size_t at = 0;
      for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        while (at < keyCount_ && static_cast<std::size_t>(keys_[at] >> shift_) < bucket) ++at;
        directory_[bucket] = static_cast<std::uint32_t>(at);
      }
      directory_[buckets] = static_cast<std::uint32_t>(keyCount_);
    }

    SharedArray<Key> keys_;
    SharedArray<std::uint32_t> starts_;
    SharedArray<Value> values_;
    SharedArray<std::uint32_t> directory_;
    std::size_t keyCount_ = 0;
    std::size_t valueCount_ = 0;
    unsigned shift_ = 0;
  };

  RunIndex() : runs_(std::make_shared<std::vector<std::shared_ptr<const Run>>>()) {}

  /// Appends a batch; its values come after all earlier ones of the same key. `entries` is reordered.
  /// Amortised O(n log n). Throws std::bad_alloc and is then unchanged.
  void append(const std::shared_ptr<MemoryAccount>& account, std::span<Entry> entries) {
    if (entries.empty()) return;
    const auto byKey = [](const Entry& left, const Entry& right) { return left.key < right.key; };
    if (!std::is_sorted(entries.begin(), entries.end(), byKey)) {
      std::stable_sort(entries.begin(), entries.end(), byKey);
    }
    auto runs = std::make_shared<std::vector<std::shared_ptr<const Run>>>(*runs_);
    auto newest = std::make_shared<const Run>(account, entries);
    const auto isMerged = [&](const Run& run) {
      return run.valueCount() <= 2 * newest->valueCount() &&
             run.valueCount() + newest->valueCount() <= kLargestRun;
    };
    while (!runs->empty() && isMerged(*runs->back())) {
      newest = std::make_shared<const Run>(account, *runs->back(), *newest);
      runs->pop_back();
    }
    runs->push_back(std::move(newest));
    runs_ = std::move(runs);
  }

  /// The same runs with the values that `keep(Value&)` says true to, changed by it as it likes. O(n).
  /// Throws std::bad_alloc.
  template <class Keep>
  RunIndex filtered(const std::shared_ptr<MemoryAccount>& account, Keep keep) const {
    RunIndex fresh;
    auto runs = std::make_shared<std::vector<std::shared_ptr<const Run>>>();
    std::vector<Entry> entries;
    for (const auto& run : *runs_) {
      entries.clear();
      for (std::size_t key = 0; key < run->keyCount(); ++key) {
        for (Value value : run->valuesAt(key)) {
          if (keep(value)) entries.push_back({run->key(key), value});
        }
      }
      if (!entries.empty()) runs->push_back(std::make_shared<const Run>(account, entries));
    }
    fresh.runs_ = std::move(runs);
    return fresh;
  }

  /// Oldest run first.
  const std::vector<std::shared_ptr<const Run>>& runs() const noexcept { return *runs_; }

 private:
  std::shared_ptr<const std::vector<std::shared_ptr<const Run>>> runs_;
};

}  // namespace ontomem
