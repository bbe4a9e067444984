#include "ontomem/row_columns.hpp"

#include <cstring>

namespace ontomem {

RowColumns::RowColumns(const std::shared_ptr<MemoryAccount>& account, std::size_t capacity)
    : bytes_(account, capacity * kBytesPerRow), capacity_(capacity) {}

RowColumns RowColumns::grown(const std::shared_ptr<MemoryAccount>& account, std::size_t rows,
                             std::size_t capacity) const {
  RowColumns copy(account, capacity);
  if (rows == 0) return copy;
  const auto move = [rows](auto* to, const auto* from) { std::memcpy(to, from, rows * sizeof *from); };
  move(copy.atMs(), atMs());
  move(copy.session(), session());
  move(copy.speaker(), speaker());
  move(copy.previous(), previous());
  move(copy.sessionChain(), sessionChain());
  move(copy.speakerChain(), speakerChain());
  move(copy.flags(), flags());
  move(copy.length(), length());
  move(copy.nextColumn(), nextColumn());
  move(copy.stored(), stored());
  return copy;
}

}  // namespace ontomem
