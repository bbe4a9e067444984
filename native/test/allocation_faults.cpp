// An addon in which any one allocation can be made to fail: linked into ontomem_faults.node alone, never shipped.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "../binding/call.hpp"
#include "../binding/calls.hpp"

namespace {

/// Allocations until one fails; 0: none does. Threads of the pool count as well.
std::atomic<std::int64_t> untilFailure{0};
std::atomic<std::int64_t> made{0};

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  made.fetch_add(1, std::memory_order_relaxed);
  if (untilFailure.load(std::memory_order_relaxed) > 0 && untilFailure.fetch_sub(1) == 1) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void* allocateOrThrow(std::size_t bytes, std::size_t alignment) {
  if (void* const block = allocate(bytes, alignment)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocateOrThrow(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocateOrThrow(bytes, std::size_t(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 16); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }

namespace ontomem::binding {
namespace {

/// failAllocation(n): the n-th from now on fails, 0 for none; returns how many were made since the last call.
Outcome failAllocation(Environment&, Arguments& arguments, double& result) {
  const auto nth = arguments.whole("nth: not a whole number");
  result = static_cast<double>(made.exchange(0));
  untilFailure.store(static_cast<std::int64_t>(nth));
  return arguments.problem();
}

constexpr NamedCall kCalls[] = {{"failAllocation", numberCall<failAllocation>}};

}  // namespace

std::span<const NamedCall> faultCalls() { return kCalls; }

}  // namespace ontomem::binding
