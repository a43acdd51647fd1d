// SPDX-License-Identifier: Apache-2.0
// What the consumer and the worker processes tell each other without a message.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "workloads/loader/fork/shared_memory.h"

namespace stepbench::loader {

// What consumer and forked workers share beside the batches: the sample indices of the tasks on
// their way, so that no message is long, and a few counters. Made before the workers.
class TaskBoard {
 public:
  // Room for `tasks` tasks of at most `samples_per_task`.
  TaskBoard(int tasks, std::int64_t samples_per_task);
  ~TaskBoard();
  TaskBoard(const TaskBoard&) = delete;
  TaskBoard& operator=(const TaskBoard&) = delete;

  [[nodiscard]] std::span<std::int64_t> samples(int task, std::int64_t count) const;

  // Workers give up between two samples when it becomes true.
  [[nodiscard]] std::atomic<bool>& stopping() const { return shared_->stopping; }
  // Results in the order in which they were finished, over all workers.
  [[nodiscard]] std::int64_t next_ticket() const { return shared_->tickets.fetch_add(1); }
  void note_sent() const { shared_->sent.fetch_add(1); }
  [[nodiscard]] std::int64_t sent() const { return shared_->sent.load(); }  // results, by workers

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
