// Grow-only working memory of one reader.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace ontomem {

/// An aligned array that is reused from call to call. `ensure` may discard the contents.
template <class T>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for `count` elements, uninitialised. Throws std::bad_alloc.
  T* ensure(std::size_t count) {
    if (count > capacity_) {
      const std::size_t wanted = count + count / 2;
      data_.reset();
      capacity_ = 0;
      data_.reset(static_cast<T*>(::operator new(wanted * sizeof(T), std::align_val_t{kAlignment})));
      capacity_ = wanted;
    }
    return data_.get();
  }

  T* data() const noexcept { return data_.get(); }
  T& operator[](std::size_t index) const noexcept { return data_.get()[index]; }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Release {
    void operator()(T* data) const noexcept { ::operator delete(data, std::align_val_t{kAlignment}); }
  };

  std::unique_ptr<T, Release> data_;
  std::size_t capacity_ = 0;
};

}  // namespace ontomem
