// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/batch_ring.h"

namespace stepbench::loader {

std::shared_ptr<BatchRing> BatchRing::make(std::size_t bytes_per_slot, int slots) {
  return std::shared_ptr<BatchRing>(new BatchRing(bytes_per_slot, slots));
}

BatchRing::BatchRing(std::size_t bytes_per_slot, int slots)
    : stride_(whole_pages(bytes_per_slot)),
      slots_(slots),
      memory_(stride_ * static_cast<std::size_t>(slots), SharedMemory::Pages::kNow) {
  for (int slot = slots; slot-- > 0;) free_.push_back(slot);
}

std::optional<BatchRing::Slot> BatchRing::take() {
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::nullopt;
    number = free_.back();
    free_.pop_back();
  }
  const auto give_back = [ring = shared_from_this(), number](void*) {
    const std::lock_guard lock(ring->mutex_);
    ring->free_.push_back(number);  // within the capacity reserved by the constructor
  };
  return Slot{.number = number, .owner = std::shared_ptr<void>(memory(number), give_back)};
}

}  // namespace stepbench::loader
