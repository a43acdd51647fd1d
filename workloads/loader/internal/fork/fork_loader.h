// SPDX-License-Identifier: Apache-2.0
// Engine fork: its row, and its worker processes as the pool of a prefetching loader.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/fork/fork_worker.h"
#include "workloads/loader/internal/fork/shared_memory.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/worker_cpus.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Batches that a consumer may hold while it requests the next one, in addition to those read ahead.
inline constexpr int kBatchesHeld = 2;

// Worker processes with the dispatch rules of Python's DataLoader. `dataset` and `clock` must
// outlive the loader. With transport shm_ring the memory is made and touched here. Names in
// /dev/shm start with `segment_prefix`; empty: a prefix with this process's id. Throws ConfigError
// naming the bytes needed and available if memory is insufficient.
[[nodiscard]] std::unique_ptr<Loader> make_fork_loader(const data::Dataset& dataset,
                                                       const LoaderOptions& options,
                                                       EpochOrder order, const Clock& clock,
                                                       const std::string& segment_prefix = {});

// Peak use of /dev/shm by torch_fd: batches read ahead, held by the consumer, and being written by
// each worker.
[[nodiscard]] std::size_t segment_bytes_needed(const data::Dataset& dataset,
                                               const LoaderOptions& options);
// Throws ConfigError if `there` is less than `needed`.
void require_shared_memory(std::size_t needed, std::size_t there);

// The row of loader.engine.
[[nodiscard]] Engine fork_engine();

// The pool.

// Settings of its worker processes beside the options of the loader.
struct ForkedWorkers {
  std::vector<int> cores = {};      // one per worker, or empty: any
  std::string segment_prefix = {};  // for names in /dev/shm
};

// Forked worker processes with one socket pair each. A worker's death is detected by its pidfd;
// every receive() from then on throws an Error naming worker, pid and signal. Constructed and
// destroyed by one thread; one thread sends and one thread, possibly another, receives.
class ForkPool final : public WorkerPool {
 public:
  // Forks the workers one after another. `dataset`, `layout` and `clock` must outlive it. Batches
  // come in slots of `ring`, or in fresh segments if it is null. Throws ConfigError if the system
  // allows no more processes.
  ForkPool(const data::Dataset& dataset, const BatchLayout& layout, std::shared_ptr<BatchRing> ring,
           const LoaderOptions& options, ForkedWorkers forked, const Clock& clock);
  ~ForkPool() override;

  void send(int worker, const LoaderTask& task) override;
  [[nodiscard]] std::optional<LoaderResult> try_receive() override;
  [[nodiscard]] std::optional<LoaderResult> receive(std::chrono::nanoseconds limit) override;
  [[nodiscard]] std::int64_t results() const override;
  void drain() override;
  void interrupt() override;

  [[nodiscard]] std::int64_t process(int worker) const override { return pid(worker); }

  [[nodiscard]] std::optional<WorkerThread> thread(int worker) const override {
    return WorkerThread{pid(worker), 0};
  }

  [[nodiscard]] std::vector<int> cores(int worker) const override {
    return cores_of_thread(pid(worker));
  }

  [[nodiscard]] pid_t pid(int worker) const {
    return workers_[static_cast<std::size_t>(worker)].process.pid();
  }

 private:
  struct Worker {
    os::Descriptor socket;
    ChildProcess process;
    std::deque<TaskMessage> backlog = {};  // tasks that the full socket did not take
  };
  struct Waiting {  // a task waiting for a slot of the ring
    int worker = 0;
    TaskMessage task;
  };

  void start_worker(const data::Dataset& dataset, const Clock& clock);
  void send_ready_tasks();
  void pass_on(Worker& worker, const TaskMessage& task);
  [[nodiscard]] std::string segment_name(int worker, pid_t pid) const;
  void collect(std::chrono::nanoseconds limit);
  void take_results(std::size_t worker);
  [[nodiscard]] std::optional<LoaderResult> first_result();
  [[nodiscard]] Batch map_segments(ReceivedResult& received) const;
  [[nodiscard]] Batch place(std::byte* memory, const ResultMessage& message,
                            std::shared_ptr<void> owner) const;
  void stop() noexcept;

  const BatchLayout& layout_;
  std::shared_ptr<BatchRing> ring_;
  LoaderOptions options_;
  ForkedWorkers forked_;
  const Clock& clock_;
  TaskBoard board_;
  std::vector<Worker> workers_;
  os::Descriptor interruption_;  // an eventfd
  bool interrupted_ = false;
  std::vector<pollfd> polled_;  // sockets, then pidfds, then the interruption

  struct Arrived {
    int worker = 0;
    ReceivedResult result;
    std::shared_ptr<void> memory;
  };
  std::deque<Arrived> arrived_;             // in the order of completion
  std::atomic<std::int64_t> received_ = 0;  // results passed on to the caller

  std::mutex mutex_;                           // guards the following, and the backlogs
  std::vector<int> free_tasks_;                // free indices on the board
  std::vector<std::shared_ptr<void>> memory_;  // of each task under way
  std::deque<Waiting> waiting_;
  std::int64_t stream_ = 0;
  std::int64_t at_workers_ = 0;  // tasks sent and not received
};

}  // namespace stepbench::loader
