// Aligned, accounted memory: blocks of 2 MB and more lie on 2 MB boundaries and ask for huge pages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace ontomem {

/// Bytes held by one owner (a shard); also counted for the owner above it (its store) and the process.
class MemoryAccount {
 public:
  explicit MemoryAccount(std::shared_ptr<MemoryAccount> above = nullptr) : above_(std::move(above)) {}

  void add(std::size_t bytes) noexcept;
  void subtract(std::size_t bytes) noexcept;
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// Bytes of all accounts of the process.
  static std::size_t processBytes() noexcept;

 private:
  std::atomic<std::size_t> bytes_{0};
  const std::shared_ptr<MemoryAccount> above_;
};

/// One uninitialised allocation. From 2 MB on it starts on a 2 MB boundary under MADV_HUGEPAGE (DRAM
/// reads 25-28 GB/s against 20 with 4 KB pages); smaller ones on a cache line, so small users stay
/// small. Throws std::bad_alloc.
class Buffer {
 public:
  Buffer(std::shared_ptr<MemoryAccount> account, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::byte* data_;
  std::size_t bytes_;
  std::size_t alignment_;
};

/// A typed array in shared memory. Copies share it: a snapshot keeps it alive while readers need it.
template <class T>
class SharedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SharedArray() = default;
  SharedArray(const std::shared_ptr<MemoryAccount>& account, std::size_t capacity)
      : buffer_(capacity == 0 ? nullptr : std::make_shared<Buffer>(account, capacity * sizeof(T))),
        capacity_(capacity) {}

  T* data() const noexcept { return buffer_ ? reinterpret_cast<T*>(buffer_->data()) : nullptr; }
  std::size_t capacity() const noexcept { return capacity_; }
  T& operator[](std::size_t index) const noexcept { return data()[index]; }
  explicit operator bool() const noexcept { return buffer_ != nullptr; }

 private:
  std::shared_ptr<Buffer> buffer_;
  std::size_t capacity_ = 0;
};

/// Append-only array: elements [0, size) never move under a snapshot that holds a copy of this object.
/// A writer fills the tail in place; a snapshot reads only up to its own size, so no location is read
/// and written at once. Growth copies into a new array and leaves the old one to the older snapshots.
template <class T>
class AppendArray {
 public:
  std::size_t size() const noexcept { return size_; }
  const T* data() const noexcept { return array_.data(); }
  T* mutableData() noexcept { return array_.data(); }
  const T& operator[](std::size_t index) const noexcept { return array_.data()[index]; }

  /// Makes room for `extra` more elements; amortised O(extra). Throws std::bad_alloc.
  void reserveExtra(const std::shared_ptr<MemoryAccount>& account, std::size_t extra) {
    const std::size_t needed = size_ + extra;
    if (needed <= array_.capacity()) return;
    // A first load gets what it asks for; later growth adds half.
    const std::size_t capacity = size_ == 0 ? needed : std::max(needed, size_ + size_ / 2);
    SharedArray<T> grown(account, capacity);
    if (size_ != 0) std::memcpy(grown.data(), array_.data(), size_ * sizeof(T));
    array_ = grown;
  }

  /// Precondition: reserveExtra made room.
  void append(const T& value) noexcept { array_.data()[size_++] = value; }

  /// Replaces the storage by a copy, so that elements may be changed without a reader seeing it.
  void detach(const std::shared_ptr<MemoryAccount>& account) {
    SharedArray<T> copy(account, array_.capacity());
    if (size_ != 0) std::memcpy(copy.data(), array_.data(), size_ * sizeof(T));
    array_ = copy;
  }

 private:
  SharedArray<T> array_;
  std::size_t size_ = 0;
};

}  // namespace ontomem
