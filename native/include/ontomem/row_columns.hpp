// What is known of each turn besides its vector and its terms: 44 bytes a row, one allocation.
#pragma once

#include <atomic>
#include <cstdint>

#include "ontomem/buffer.hpp"
#include "ontomem/node.hpp"

namespace ontomem {

/// Bits of the `flags` column. The caller decides what a bit means in its language; the core only
/// hands them on as features.
namespace row_flag {
inline constexpr std::uint32_t questionMark = 1u << 0;
inline constexpr std::uint32_t firstPerson = 1u << 1;
inline constexpr std::uint32_t caption = 1u << 2;
inline constexpr std::uint32_t dated = 1u << 3;
inline constexpr std::uint32_t timeWords = 1u << 4;
inline constexpr std::uint32_t digits = 1u << 5;
inline constexpr std::uint32_t properName = 1u << 6;
}  // namespace row_flag

/// Parallel columns in one buffer. Copies share it. Rows below a snapshot's count are constant but for
/// `next`, which is set at most once, to a row that older snapshots do not have: they read it as none.
/// Forgetting changes the links between turns, so it works on a copy.
class RowColumns {
 public:
  RowColumns() = default;
  RowColumns(const std::shared_ptr<MemoryAccount>& account, std::size_t capacity);

  std::size_t capacity() const noexcept { return capacity_; }

  double* atMs() const noexcept { return column<double>(0); }
  /// Ordinals into the snapshot's session and speaker tables.
  std::uint32_t* session() const noexcept { return column<std::uint32_t>(8); }
  std::uint32_t* speaker() const noexcept { return column<std::uint32_t>(12); }
  /// The live turn before in its session; kNoRow when there is none.
  Row* previous() const noexcept { return column<Row>(16); }
  /// The live row appended before this one in the same session, and by the same speaker.
  Row* sessionChain() const noexcept { return column<Row>(20); }
  Row* speakerChain() const noexcept { return column<Row>(24); }
  std::uint32_t* flags() const noexcept { return column<std::uint32_t>(28); }
  /// Tokens of the turn.
  std::uint32_t* length() const noexcept { return column<std::uint32_t>(32); }
  /// The number the store knows the turn by; ascending.
  std::uint32_t* stored() const noexcept { return column<std::uint32_t>(40); }

  /// The turn after `row` among the first `rows`; kNoRow when there is none.
  Row next(Row row, std::size_t rows) const noexcept {
    const Row next = std::atomic_ref<Row>(nextColumn()[row]).load(std::memory_order_relaxed);
    return next < rows ? next : kNoRow;
  }

  /// The first follower wins: a second turn that names the same previous one changes nothing.
  void linkNext(Row row, Row follower) const noexcept {
    std::atomic_ref<Row> next(nextColumn()[row]);
    if (next.load(std::memory_order_relaxed) == kNoRow) next.store(follower, std::memory_order_relaxed);
  }
  void clearNext(Row row) const noexcept {
    std::atomic_ref<Row>(nextColumn()[row]).store(kNoRow, std::memory_order_relaxed);
  }

  /// A copy of the first `rows` rows with room for `capacity`. Throws std::bad_alloc.
  RowColumns grown(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                   std::size_t capacity) const;

 private:
  static constexpr std::size_t kBytesPerRow = 44;

  template <class T>
  T* column(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(bytes_.data() + offset * capacity_);
  }
  Row* nextColumn() const noexcept { return column<Row>(36); }

  SharedArray<std::byte> bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace ontomem
