// SPDX-License-Identifier: Apache-2.0
// A worker pool whose batches a pin thread copies into page-locked memory.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "harness/base/clock.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/thread/blocking_queue.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Python's pin thread: takes the results of another pool, copies each batch into pinned memory and
// passes it on, after starting its upload if there is one. It starts after the workers, so that no
// worker is forked while the thread runs.
class PinningPool final : public WorkerPool {
 public:
  // `memory`, `upload`, which may be null, and `clock` must outlive it.
  PinningPool(std::unique_ptr<WorkerPool> workers, PinnedMemory& memory, BatchUpload* upload,
              const Clock& clock);
  ~PinningPool() override;

  void send(int worker, const LoaderTask& task) override { workers_->send(worker, task); }
  [[nodiscard]] std::optional<LoaderResult> try_receive() override;
  [[nodiscard]] std::optional<LoaderResult> receive(std::chrono::nanoseconds limit) override;
  [[nodiscard]] std::int64_t results() const override;
  [[nodiscard]] std::int64_t process(int worker) const override {
    return workers_->process(worker);
  }
  [[nodiscard]] std::optional<WorkerThread> thread(int worker) const override {
    return workers_->thread(worker);
  }
  [[nodiscard]] std::vector<int> cores(int worker) const override {
    return workers_->cores(worker);
  }
  void drain() override;
  void interrupt() override { pinned_.push({}); }

 private:
  struct Answer {
    std::optional<LoaderResult> result;
    std::exception_ptr broken;  // the workers are unusable
  };

  void start();
  void stop() noexcept;
  void pin_results();
  void pin(LoaderResult& result);
  [[nodiscard]] std::optional<LoaderResult> opened(std::optional<Answer> answer);

  std::unique_ptr<WorkerPool> workers_;
  PinnedMemory& memory_;
  BatchUpload* upload_;
  const Clock& clock_;
  std::atomic<bool> stopping_ = false;
  BlockingQueue<Answer> pinned_;
  std::exception_ptr broken_;
  std::thread thread_;
};

}  // namespace stepbench::loader
