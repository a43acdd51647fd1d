// SPDX-License-Identifier: Apache-2.0
// The workload `loader`, and the base of every workload with a DataLoader: the pipeline of a case's
// samples, which are data set, page cache, order, loader and the endless stream of batches. Main
// thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/measure/step_recorder.h"
#include "harness/workload.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/analysis/loader_facts.h"
#include "workloads/loader/internal/analysis/loader_report.h"
#include "workloads/loader/internal/cached_batches.h"
#include "workloads/loader/internal/make_loader.h"
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

// `workload: loader`: each step takes one batch and drops it, so it lasts as long as the loader
// needs, or holds it for an emulated step. Other workloads become this one when their loader is
// measured alone (loader.alone). No torch.

// A step of known duration in place of a model's: loads a loader without an accelerator.

// The section `emulated` of the workload loader, and the phase of an emulated step.
[[nodiscard]] Section emulated_section();
[[nodiscard]] std::vector<Phase> emulated_phases();

class EmulatedStep {
 public:
  explicit EmulatedStep(const ResolvedCase& resolved);

  // Sleeps or computes for the next step's duration, in its own phase. Does nothing if the case
  // emulates no step.
  void run(StepRecorder& step);
  // Duration of step `index`; the same in every launch.
  [[nodiscard]] double time_us(std::uint64_t index) const;

 private:
  double mean_us_ = 0;  // 0: no emulated step
  double cv_ = 0;
  bool computes_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t index_ = 0;
};

class LoaderWorkload final : public Workload {
 public:
  // `context` and `table` must outlive it.
  LoaderWorkload(const ResolvedCase& resolved, WorkerContext& context,
                 const std::vector<Engine>& table = engines(),
                 std::unique_ptr<PinnedMemory> pinned = {}, OrderMaker order = make_order)
      : resolved_(resolved),
        pinned_(std::move(pinned)),
        pipeline_(resolved_, context, std::move(order), table),
        emulated_(resolved_),
        loader_only_(standalone_part_of(resolved_) == StandalonePart::kLoader),
        batches_per_step_(resolved_.integer_or("model.accumulate", 1)) {}

  [[nodiscard]] static std::unique_ptr<Workload> make(const ResolvedCase& resolved,
                                                      WorkerContext& context) {
    return std::make_unique<LoaderWorkload>(resolved, context);
  }

  [[nodiscard]] std::optional<std::string> set_up() override;
  [[nodiscard]] std::int64_t steps_per_epoch() const override;
  void steps_done() override { pipeline_.steps_done(); }
  void before_cycle() override { pipeline_.before_cycle(); }
  void step(StepRecorder& step) override;
  void window(Edge edge) override { pipeline_.window(edge); }
  void tear_down() override { pipeline_.tear_down(); }
  [[nodiscard]] Fingerprint fingerprint() override { return {}; }
  void report(ReportSink& sink) const override { pipeline_.report(sink); }

 private:
  ResolvedCase resolved_;
  std::unique_ptr<PinnedMemory> pinned_;
  LoaderPipeline pipeline_;
  EmulatedStep emulated_;
  bool loader_only_;               // skips the emulated step as well
  std::int64_t batches_per_step_;  // of the step that this replaces
};

}  // namespace stepbench::loader
