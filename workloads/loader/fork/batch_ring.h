// SPDX-License-Identifier: Apache-2.0
// Reusable slots of shared memory for batches (transport shm_ring).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "workloads/loader/fork/shared_memory.h"

namespace stepbench::loader {

// Reusable slots of shared memory, made before the workers are forked: a worker writes a batch
// where the consumer reads it. Only the consumer's process takes and returns slots; workers only
// look up addresses. Any thread.
class BatchRing : public std::enable_shared_from_this<BatchRing> {
 public:
  // Every slot is page-aligned and touched. Throws std::bad_alloc.
  [[nodiscard]] static std::shared_ptr<BatchRing> make(std::size_t bytes_per_slot, int slots);

  struct Slot {
    int number = 0;
    std::shared_ptr<void> owner;  // its memory; the last copy returns it to the ring
  };
  [[nodiscard]] std::optional<Slot> take();  // the one returned last: its pages are warm
  [[nodiscard]] std::byte* memory(int slot) const {
    return memory_.data() + static_cast<std::size_t>(slot) * stride_;
  }
  [[nodiscard]] int slots() const { return slots_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

 private:
  BatchRing(std::size_t bytes_per_slot, int slots);

  std::size_t stride_;
  int slots_;
  SharedMemory memory_;
  std::mutex mutex_;
  std::vector<int> free_;
};

}  // namespace stepbench::loader
