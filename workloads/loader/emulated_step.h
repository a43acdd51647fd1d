// SPDX-License-Identifier: Apache-2.0
// A step of known duration in place of a model's: loads a loader without an accelerator. No torch.
// Main thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/measure/step_recorder.h"

namespace stepbench::loader {

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

}  // namespace stepbench::loader
