// SPDX-License-Identifier: Apache-2.0
// The data path of a case: data set, page cache, order, loader and the stream of batches. Every
// workload with a DataLoader is built on it. Main thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/data/page_cache.h"
#include "workloads/loader/batch_stream.h"
#include "workloads/loader/make_loader.h"
#include "workloads/loader/order.h"

namespace stepbench::loader {

class LoaderPipeline {
 public:
  // `resolved`, `context` and `table` must outlive it.
  LoaderPipeline(const ResolvedCase& resolved, WorkerContext& context, OrderMaker order,
                 const std::vector<Engine>& table = engines());

  // Call first in Workload::set_up(): an engine that forks starts its workers here, before anything
  // uses CUDA, opens an OpenMP region or starts a thread. `pinned` is for loader.pin_memory;
  // `upload` is for the pin thread and must outlive the loader. Throws ConfigError naming the
  // option or the file.
  void open(std::unique_ptr<PinnedMemory> pinned = nullptr, BatchUpload* upload = nullptr);

  // The following need open().
  [[nodiscard]] const data::Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const LoaderOptions& options() const { return options_; }
  // A new EpochOrder for this rank's samples.
  [[nodiscard]] EpochOrder order() const {
    return order_of_rank(order_(*dataset_, options_), options_.rank, options_.world);
  }
  // 0: unknown, or epochs are joined.
  [[nodiscard]] std::int64_t batches_per_epoch() const;
  [[nodiscard]] Batch next(StepRecorder& step) { return stream_->next(step); }

  // Call these from the Workload functions of the same names.
  void before_cycle() { page_cache_.prepare(*dataset_); }
  void window(Edge edge);
  void steps_done();
  // Safe after a set_up() that threw, and when called twice.
  void tear_down();
  void report(ReportSink& sink) const;

 private:
  const ResolvedCase& resolved_;
  WorkerContext& context_;
  OrderMaker order_;
  const std::vector<Engine>& table_;
  LoaderOptions options_;
  std::unique_ptr<data::Dataset> dataset_;
  data::PageCache page_cache_;
  std::unique_ptr<PinnedMemory> pinned_;
  std::unique_ptr<Loader> loader_;
  std::optional<BatchStream> stream_;
};

}  // namespace stepbench::loader
