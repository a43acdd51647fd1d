// SPDX-License-Identifier: Apache-2.0
// State shared by the consumer and the worker processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "workloads/loader/fork/shared_memory.h"

namespace stepbench::loader {

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

}  // namespace stepbench::loader
