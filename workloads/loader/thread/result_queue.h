// SPDX-License-Identifier: Apache-2.0
// Finished batches on their way from worker threads to the consumer.
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

// Results on their way from many worker threads to one consumer, which takes all that are there
// under one lock. Waiting sleeps; nothing spins. Memory grows to the longest queue that there was
// and stays.
class ResultQueue {
 public:
  void push(LoaderResult&& result);
  // From any thread: the take() that waits now, or else the next one, takes nothing.
  void interrupt();

  // Moves what is there into `into`, which is empty; when nothing is, waits. Nothing is taken when
  // `limit` passed; zero: no limit.
  void take(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit);
  void try_take(std::vector<LoaderResult>& into);
  [[nodiscard]] std::optional<LoaderResult> take_one(std::chrono::nanoseconds limit);
  [[nodiscard]] std::optional<LoaderResult> try_take_one();
  void clear();

  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  // False: interrupted, or the limit passed.
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds limit);
  void move_all(std::vector<LoaderResult>& into);
  [[nodiscard]] LoaderResult move_first();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<LoaderResult> results_;
  std::size_t first_ = 0;  // of results_; those before it were taken one by one
  bool waiting_ = false;   // the consumer sleeps, and nothing has come since
  bool interrupted_ = false;
  std::atomic<std::size_t> size_ = 0;  // written under the lock, read without it
};

}  // namespace stepbench::loader
