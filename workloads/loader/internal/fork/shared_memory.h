// SPDX-License-Identifier: Apache-2.0
// The memory that the consumer and its forked workers share: slots for batches, a board on which
// they exchange state without messages, and a segment per tensor as PyTorch makes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/descriptor.h"

namespace stepbench::loader {

// Anonymous memory shared with processes that are forked later. Zeroed; whole pages.
class SharedMemory {
 public:
  enum class Pages : bool { kOnUse, kNow };  // kNow: faulted in before anything is timed
  // Throws std::bad_alloc.
  explicit SharedMemory(std::size_t bytes, Pages pages = Pages::kOnUse);
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

[[nodiscard]] std::size_t whole_pages(std::size_t bytes);

// Slots (transport shm_ring).

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

// Board.

// Shared memory besides the batches: sample indices of the tasks under way, which keeps messages
// short, and a few counters. Construct it before forking the workers.
class TaskBoard {
 public:
  // Room for `tasks` tasks of at most `samples_per_task`.
  TaskBoard(int tasks, std::int64_t samples_per_task);
  ~TaskBoard();
  TaskBoard(const TaskBoard&) = delete;
  TaskBoard& operator=(const TaskBoard&) = delete;

  [[nodiscard]] std::span<std::int64_t> samples(int task, std::int64_t count) const;

  // Workers stop between two samples when it becomes true.
  [[nodiscard]] std::atomic<bool>& stopping() const { return shared_->stopping; }
  // Numbers results in the order of completion, over all workers.
  [[nodiscard]] std::int64_t next_ticket() const { return shared_->tickets.fetch_add(1); }
  void note_sent() const { shared_->sent.fetch_add(1); }
  [[nodiscard]] std::int64_t sent() const { return shared_->sent.load(); }  // results sent

 private:
  struct Shared {
    std::atomic<bool> stopping = false;
    std::atomic<std::int64_t> tickets = 0;
    std::atomic<std::int64_t> sent = 0;
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  std::int64_t samples_per_task_;
  SharedMemory memory_;
  Shared* shared_;
};

// Segments: created and passed on as in PyTorch's file_descriptor strategy
// (at::new_shm_fd_storage): shm_open, ftruncate, posix_fallocate, mmap, shm_unlink at once; only
// the descriptor is sent. Python also pays for a connection per descriptor, its authentication and
// pickling, so this is a lower bound of Python's cost.

class SharedSegment {
 public:
  // `name` is free again on return. Throws Error naming the bytes needed and those free in
  // /dev/shm.
  [[nodiscard]] static SharedSegment create(const std::string& name, std::size_t bytes);
  // Maps a segment that another process created. Throws Error.
  [[nodiscard]] static SharedSegment map(os::Descriptor descriptor, std::size_t bytes);

  SharedSegment(SharedSegment&& other) noexcept
      : descriptor_(std::move(other.descriptor_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(other.bytes_) {}
  SharedSegment& operator=(SharedSegment&&) = delete;
  ~SharedSegment();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }

 private:
  SharedSegment(os::Descriptor descriptor, std::size_t bytes);

  os::Descriptor descriptor_;  // stays open as long as the tensor lives, as in PyTorch
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Free bytes in /dev/shm; 0 if there is no /dev/shm.
[[nodiscard]] std::size_t shared_memory_free();
[[nodiscard]] std::string in_mib(std::size_t bytes);  // "19.3 MiB"

}  // namespace stepbench::loader
