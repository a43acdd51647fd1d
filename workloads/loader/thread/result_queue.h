// SPDX-License-Identifier: Apache-2.0
// Passes finished batches from worker threads to the consumer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "workloads/loader/worker_pool.h"

namespace stepbench::loader {

// Results from many worker threads for one consumer, which takes all ready ones under one lock.
// Waiting sleeps, never spins. Memory grows to the longest queue so far and is not released.
class ResultQueue {
 public:
  void push(LoaderResult&& result);
  // Any thread: makes the waiting take(), or else the next one, take nothing.
  void interrupt();

  // Moves all results into `into`, which must be empty; waits if there are none. Takes nothing
  // after `limit`; zero: no limit.
  void take(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit);
  void try_take(std::vector<LoaderResult>& into);
  [[nodiscard]] std::optional<LoaderResult> take_one(std::chrono::nanoseconds limit);
  [[nodiscard]] std::optional<LoaderResult> try_take_one();
  void clear();

  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  // Returns false if interrupted, or after `limit`.
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds limit);
  void move_all(std::vector<LoaderResult>& into);
  [[nodiscard]] LoaderResult move_first();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<LoaderResult> results_;
  std::size_t first_ = 0;  // index in results_; earlier ones were taken one by one
  bool waiting_ = false;   // the consumer sleeps and has not been woken
  bool interrupted_ = false;
  std::atomic<std::size_t> size_ = 0;  // written under the lock, read without it
};

}  // namespace stepbench::loader
