// SPDX-License-Identifier: Apache-2.0
// The pipeline of a case's samples: data set, page cache, order, loader and the endless stream of
// batches. The base of every workload with a DataLoader. Main thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/data/stored_files.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/make_loader.h"
#include "workloads/loader/sample_order.h"

namespace stepbench::loader {

// An endless stream of batches, and the only place that measures data_wait: the phase covers the
// loader's next(), and begin_epoch() at an epoch's border. When an epoch ends inside a step, the
// next one starts at once and the step is marked first_of_epoch(). Joined epochs never end. The
// user of a batch adds its BatchMarks. Main thread.
class BatchStream {
 public:
  BatchStream(Loader& loader, WorkerContext& context) : loader_(loader), context_(context) {}

  // Begins the first epoch ahead of its first next(), so that worker processes are forked before
  // this process touches a device or opens an OpenMP region.
  void begin();

  // Throws Error if an epoch yields no batch; rethrows worker errors.
  [[nodiscard]] Batch next(StepRecorder& step);
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

  // Call from Workload::window(kBegin) and steps_done(), so that report() covers only the active
  // windows.
  void window(Edge edge);
  // Reports the metrics that loader_metrics() declares and the findings for this case; works after
  // the loader is destroyed. `padding_sorted`: see LoaderFacts.
  void report(ReportSink& sink, const ResolvedCase& resolved,
              std::optional<double> padding_sorted = {}) const;
  [[nodiscard]] const LoaderMetrics& measured() const { return measured_; }

 private:
  Loader& loader_;
  WorkerContext& context_;
  std::int64_t epoch_ = -1;
  bool yielded_ = false;
  std::int64_t begun_ns_ = 0;  // clock at begin()
  std::int64_t epoch_began_ns_ = 0;
  std::int64_t begin_ns_ = 0;       // spent in begin()
  std::int64_t first_wait_ns_ = 0;  // consumer's wait for the first batch
  LoaderMetrics measured_;
  WindowFacts window_;
  CoreWatch cores_;
  bool in_window_ = false;
  bool unknown_length_ = false;                 // length of an epoch
  WindowFacts at_begin_;                        // readings when the window began
  std::optional<std::int64_t> ready_at_begin_;  // batches, summed over windows
  std::optional<std::int64_t> ready_at_end_;
};

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
  std::vector<int> cpus_at_start_;  // before code of the user's ran
};

}  // namespace stepbench::loader
