// SPDX-License-Identifier: Apache-2.0
// A loader whose workers read ahead: Python's dispatch rules over any WorkerPool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/loader/batch_order.h"
#include "workloads/loader/dispatcher.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/worker_pool.h"

namespace stepbench::loader {

// A loader with workers: sends tasks in the Dispatcher's order and yields their results.
class PrefetchingLoader final : public Loader {
 public:
  using StartWorkers = std::function<std::unique_ptr<WorkerPool>()>;

  // `clock` and everything that `start` uses must outlive it. samples < 0: an iterable data set,
  // whose workers return a batch of size 0 when their share is used up.
  PrefetchingLoader(std::int64_t samples, const LoaderOptions& options, EpochOrder order,
                    StartWorkers start, const Clock& clock);

  void begin_epoch(std::int64_t epoch) override;
  [[nodiscard]] std::optional<Batch> next() override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  [[nodiscard]] std::optional<std::int64_t> ready() const override;
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override;

 private:
  struct Wait {                // within one next()
    std::int64_t seen_ns = 0;  // last clock reading
    std::int64_t blocked_ns = 0;
    std::int64_t receive_ns = 0;
    std::int64_t stalled_ns = 0;
  };
  void receive(Wait& wait);
  void accept_result(LoaderResult& result);
  [[nodiscard]] std::int64_t left_over() const {
    return static_cast<std::int64_t>(arrived_.size() - accepted_);
  }
  [[nodiscard]] LoaderResult& slot(std::int64_t batch) {
    return received_[static_cast<std::size_t>(batch) & (received_.size() - 1)];
  }
  [[nodiscard]] bool is_end(const LoaderResult& result) const {
    return samples_ < 0 && !result.error && result.data.size == 0;
  }
  void account(const LoaderResult& result);
  void end_worker(int worker);
  void send_next();

  std::int64_t samples_;
  LoaderOptions options_;
  BatchOrder order_;
  StartWorkers start_;
  const Clock& clock_;
  Dispatcher dispatcher_;
  // Not yet yielded; batch i is at i % size. The size is a power of two.
  std::vector<LoaderResult> received_;
  std::vector<LoaderResult> arrived_;  // received together; processed one by one
  std::size_t accepted_ = 0;           // processed entries of arrived_
  std::vector<bool> ended_;            // iterable data set: workers that ended in this epoch
  LoaderMetrics metrics_;
  std::unique_ptr<WorkerPool> pool_;  // destroyed first
};

}  // namespace stepbench::loader
