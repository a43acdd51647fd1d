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
    : fields_(std::move(fields)), batch_size_(batch_size) {
  for (const FieldSpec& field : fields_) {
    offsets_.push_back(bytes_);
    const std::size_t bytes = field.bytes() * static_cast<std::size_t>(batch_size);
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (reuse) pool_ = std::make_shared<Pool>();
}

Batch BatchMemory::take(std::int64_t size) const {
  Batch batch{.fields = {}, .size = size, .index = 0, .partial = size < batch_size_, .owner = {}};
  std::byte* memory = nullptr;
  if (pool_) {
    memory = pool_->take(bytes_);
    batch.owner =
        std::shared_ptr<void>(memory, [pool = pool_](void* back) { pool->give_back(back); });
  } else {
    memory = allocate(bytes_);
    batch.owner = std::shared_ptr<void>(memory, release);
  }
  batch.fields.reserve(fields_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    batch.fields.push_back({.data = memory + offsets_[i], .spec = fields_[i]});
  }
  return batch;
}

}  // namespace stepbench
