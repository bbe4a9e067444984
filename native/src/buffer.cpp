#include "ontomem/buffer.hpp"

#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ontomem {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

std::atomic<std::size_t> processTotal{0};

}  // namespace

void MemoryAccount::add(std::size_t bytes) noexcept {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (above_) return above_->add(bytes);
  processTotal.fetch_add(bytes, std::memory_order_relaxed);
}

void MemoryAccount::subtract(std::size_t bytes) noexcept {
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (above_) return above_->subtract(bytes);
  processTotal.fetch_sub(bytes, std::memory_order_relaxed);
}

std::size_t MemoryAccount::processBytes() noexcept { return processTotal.load(std::memory_order_relaxed); }

Buffer::Buffer(std::shared_ptr<MemoryAccount> account, std::size_t bytes)
    : account_(std::move(account)), bytes_(bytes), alignment_(bytes >= kHugePage ? kHugePage : kCacheLine) {
  data_ = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment_}));
#if defined(__linux__)
  // Advice only: where huge pages are off the block is merely slower.
  if (alignment_ == kHugePage) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
  account_->add(bytes_);
}

Buffer::~Buffer() {
  account_->subtract(bytes_);
  ::operator delete(data_, std::align_val_t{alignment_});
}

}  // namespace ontomem
