// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace stepbench::loader {
namespace {

constexpr std::size_t kAlignment = 64;

// Large blocks request huge pages: otherwise the kernel takes a fifth of a reader's time to map an
// image batch. Only a hint; the memory is the same without it.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kManyBytes = 2 * kHugePage;

std::byte* allocate(std::size_t bytes) {
  const bool huge = bytes >= kManyBytes;
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? kHugePage : kAlignment, bytes) != 0) throw std::bad_alloc();
  if (huge) (void)::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}
void release(void* memory) noexcept { std::free(memory); }

// Header of a block: the owners' counter, so that sharing a batch allocates nothing, then the pool.
constexpr std::size_t kCounterBytes = kAlignment;
constexpr std::size_t kHeader = kCounterBytes + kAlignment;

}  // namespace

struct BatchMemory::Pool {
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (std::byte* memory : free) release(memory);
  }

  [[nodiscard]] std::byte* take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        std::byte* memory = free.back();
        free.pop_back();
        return memory;
      }
      free.reserve(++made);  // so that give_back() cannot throw
    }
    return allocate(bytes);
  }
  void give_back(std::byte* memory) noexcept {
    const std::lock_guard lock(mutex);
    free.push_back(memory);
  }

  std::mutex mutex;
  std::vector<std::byte*> free;
  std::size_t made = 0;
};

// Allocator that puts the counter into the block and releases the block with the counter. `From` is
// a std::shared_ptr<Pool>, null if the memory is to be freed; it is stored in the block because
// allocators are copied often.
template <typename T, typename From>
struct InBlock {
  using value_type = T;
  InBlock(std::byte* memory, From from) : block(memory) {
    static_assert(sizeof(From) <= kHeader - kCounterBytes);
    std::construct_at(pool(), std::move(from));
  }
  template <typename U>
  explicit InBlock(const InBlock<U, From>& other) : block(other.block) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(sizeof(T) <= kCounterBytes && alignof(T) <= kAlignment);
    if (count != 1) throw std::bad_alloc();
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T*, std::size_t) noexcept {
    const From from = std::move(*pool());
    std::destroy_at(pool());
    if (from) {
      from->give_back(block);
    } else {
      release(block);
    }
  }
  bool operator==(const InBlock&) const = default;

  [[nodiscard]] From* pool() const { return reinterpret_cast<From*>(block + kCounterBytes); }

  std::byte* block;
};

BatchMemory::BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse)
    : layout_(std::move(fields), batch_size) {
  if (reuse) pool_ = std::make_shared<Pool>();
}

Batch BatchMemory::take(std::int64_t size) const {
  const std::size_t bytes = kHeader + layout_.bytes();
  std::byte* const block = pool_ ? pool_->take(bytes) : allocate(bytes);
  std::byte* const memory = block + kHeader;
  std::shared_ptr<void> owner(
      memory, [](void*) {}, InBlock<std::byte, std::shared_ptr<Pool>>(block, pool_));
  return layout_.place(memory, size, std::move(owner));
}

}  // namespace stepbench::loader
