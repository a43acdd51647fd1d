// SPDX-License-Identifier: Apache-2.0
// The endless stream of batches of a case, and the place where data_wait is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "harness/workload.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// An endless stream of batches, and the one place where data_wait is measured: the phase spans the
// loader's next() alone, and begin_epoch() at an epoch's border. When an epoch ends inside a step
// the next one starts at once; that step is marked first_of_epoch(). Joined epochs never end. What
// a batch is worth is added by whoever uses it (BatchMarks). Main thread.
class BatchStream {
 public:
  BatchStream(Loader& loader, WorkerContext& context) : loader_(loader), context_(context) {}

  // Begins the first epoch before its first batch is asked for: worker processes are forked while
  // the calling process has touched no device and opened no OpenMP region.
  void begin();

  // Throws Error when an epoch yields no batch at all, and what a worker threw.
  [[nodiscard]] Batch next(StepRecorder& step);
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

  // To be called from Workload::window(kBegin) and steps_done(), so that report() speaks of the
  // active windows alone.
  void window(Edge edge);
  // The loader's metrics, which loader_metrics() declares, and what they mean for this case; also
  // after the loader is gone.
  // `padding_sorted`: LoaderFacts.
  void report(ReportSink& sink, const ResolvedCase& resolved,
              std::optional<double> padding_sorted = {}) const;
  [[nodiscard]] const LoaderMetrics& measured() const { return measured_; }

 private:
  Loader& loader_;
  WorkerContext& context_;
  std::int64_t epoch_ = -1;
  bool yielded_ = false;
  std::int64_t begun_ns_ = 0;  // when begin() was called
  std::int64_t epoch_began_ns_ = 0;
  std::int64_t begin_ns_ = 0;       // spent in begin()
  std::int64_t first_wait_ns_ = 0;  // the consumer's time for the first batch
  LoaderMetrics measured_;
  WindowFacts window_;
  CoreWatch cores_;
  bool in_window_ = false;
  bool unknown_length_ = false;                 // of an epoch
  WindowFacts at_begin_;                        // readings at the window's begin
  std::optional<std::int64_t> ready_at_begin_;  // batches, summed over windows
  std::optional<std::int64_t> ready_at_end_;
};

}  // namespace stepbench::loader
