// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_memory.h"

#include <mutex>
#include <new>
#include <utility>

namespace stepbench {
namespace {

constexpr std::size_t kAlignment = 64;

std::byte* allocate(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment}));
}
void release(void* memory) noexcept { ::operator delete (memory, std::align_val_t{kAlignment}); }

}  // namespace

struct BatchMemory::Pool {
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (std::byte* memory : free) release(memory);
  }

  std::byte* take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        std::byte* memory = free.back();
        free.pop_back();
        return memory;
      }
      free.reserve(++made);  // so that giving back cannot throw
    }
    return allocate(bytes);
  }
  void give_back(void* memory) noexcept {
    const std::lock_guard lock(mutex);
    free.push_back(static_cast<std::byte*>(memory));
  }

  std::mutex mutex;
  std::vector<std::byte*> free;
  std::size_t made = 0;
};

BatchMemory::BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse)
    : layout_(std::move(fields), batch_size) {
  if (reuse) pool_ = std::make_shared<Pool>();
}

Batch BatchMemory::take(std::int64_t size) const {
  std::byte* memory = pool_ ? pool_->take(layout_.bytes()) : allocate(layout_.bytes());
  auto owner =
      pool_ ? std::shared_ptr<void>(memory, [pool = pool_](void* back) { pool->give_back(back); })
            : std::shared_ptr<void>(memory, release);
  return layout_.place(memory, size, std::move(owner));
}

}  // namespace stepbench
