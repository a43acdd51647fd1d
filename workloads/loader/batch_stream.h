// SPDX-License-Identifier: Apache-2.0
// The endless stream of batches of a case; measures data_wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "harness/workload.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/loader.h"

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

}  // namespace stepbench::loader
