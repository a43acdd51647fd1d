// SPDX-License-Identifier: Apache-2.0
// `workload: loader`: each step takes one batch and drops it, so it lasts as long as the loader
// needs, or holds it for an emulated step. Other workloads become this one when their loader is
// measured alone (loader.alone). No torch.
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
#include "workloads/loader/cached_batches.h"
#include "workloads/loader/loader_pipeline.h"

namespace stepbench::loader {

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
