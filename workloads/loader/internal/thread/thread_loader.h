// SPDX-License-Identifier: Apache-2.0
// Engine thread: its row, its worker threads as the pool of a prefetching loader, and the queue of
// finished batches to the consumer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/thread/blocking_queue.h"
#include "workloads/loader/internal/worker_cpus.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Worker threads with the dispatch rules of Python's DataLoader. `dataset` and `clock` must outlive
// the loader.
[[nodiscard]] std::unique_ptr<Loader> make_thread_loader(const data::Dataset& dataset,
                                                         const LoaderOptions& options,
                                                         EpochOrder order, const Clock& clock);

// The row of loader.engine.
[[nodiscard]] Engine thread_engine();

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

// The pool.

// Worker threads with one task queue each and a common result queue.
class ThreadPool final : public WorkerPool {
 public:
  // `cores`: one per worker, or empty: any. `dataset`, `memory` and `clock` must outlive it. Throws
  // ConfigError if the system allows no more threads.
  ThreadPool(const data::Dataset& dataset, const BatchMemory& memory, const LoaderOptions& options,
             std::vector<int> cores, const Clock& clock);
  ~ThreadPool() override;

  void send(int worker, const LoaderTask& task) override;
  [[nodiscard]] std::optional<LoaderResult> try_receive() override {
    return results_.try_take_one();
  }
  [[nodiscard]] std::optional<LoaderResult> receive(std::chrono::nanoseconds limit) override {
    return results_.take_one(limit);
  }
  void try_receive_all(std::vector<LoaderResult>& into) override { results_.try_take(into); }
  void receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) override {
    results_.take(into, limit);
  }
  [[nodiscard]] std::int64_t results() const override {
    return static_cast<std::int64_t>(results_.size());
  }
  [[nodiscard]] std::optional<WorkerThread> thread(int worker) const override;
  [[nodiscard]] std::vector<int> cores(int worker) const override {
    return cores_of_thread(numbers_[static_cast<std::size_t>(worker)]);
  }
  void drain() override;
  void interrupt() override { results_.interrupt(); }

 private:
  struct Resume {};
  struct Stop {};
  using Message = std::variant<LoaderTask, Resume, Stop>;

  void work(int worker);
  void stop() noexcept;

  const data::Dataset& dataset_;
  const BatchMemory& memory_;
  LoaderOptions options_;
  std::vector<int> cores_;
  const Clock& clock_;
  std::atomic<bool> stopping_ = false;
  std::vector<BlockingQueue<Message>> tasks_;  // one per worker
  ResultQueue results_;
  BlockingQueue<int> resumed_;               // workers that finished all their tasks
  std::vector<std::atomic<pid_t>> numbers_;  // kernel ids of the threads
  std::vector<std::thread> threads_;
};

}  // namespace stepbench::loader
