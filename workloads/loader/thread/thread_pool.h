// SPDX-License-Identifier: Apache-2.0
// The worker threads of engine thread, as the pool of a prefetching loader.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/loader/blocking_queue.h"
#include "workloads/loader/cpu_affinity.h"
#include "workloads/loader/thread/result_queue.h"
#include "workloads/loader/worker_pool.h"

namespace stepbench::loader {

struct ThreadPoolOptions {
  int workers = 1;
  std::uint64_t seed = 0;
  bool joined = false;
  bool drop_last = false;
  std::int64_t rank = 0;
  std::int64_t world = 1;
  std::int64_t threads_per_worker = 1;
  std::vector<int> cores = {};  // one per worker, or empty: any
};

// Worker threads with one task queue each and a common result queue.
class ThreadPool final : public WorkerPool {
 public:
  // All references must outlive it. Throws ConfigError if the system allows no more threads.
  ThreadPool(const data::Dataset& dataset, const BatchMemory& memory,
             const ThreadPoolOptions& options, const Clock& clock);
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
  ThreadPoolOptions options_;
  const Clock& clock_;
  std::atomic<bool> stopping_ = false;
  std::vector<BlockingQueue<Message>> tasks_;  // one per worker
  ResultQueue results_;
  BlockingQueue<int> resumed_;               // workers that finished all their tasks
  std::vector<std::atomic<pid_t>> numbers_;  // kernel ids of the threads
  std::vector<std::thread> threads_;
};

}  // namespace stepbench::loader
