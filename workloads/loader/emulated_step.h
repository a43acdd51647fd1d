// SPDX-License-Identifier: Apache-2.0
// A step of known time in place of a model's: what a loader must feed, without the accelerator. No
// torch. Main thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/measure/step_recorder.h"

namespace stepbench::loader {

// The section `emulated` of the workload loader, and the phase of such a step.
[[nodiscard]] Section emulated_section();
[[nodiscard]] std::vector<Phase> emulated_phases();

class EmulatedStep {
 public:
  explicit EmulatedStep(const ResolvedCase& resolved);

  // Waits or computes for the next step's time, in a phase of its own. Nothing where the case asks
  // for no such step.
  void run(StepRecorder& step);
  // What the step that is to be run `index`-th takes; the same in every launch.
  [[nodiscard]] double time_us(std::uint64_t index) const;

 private:
  double mean_us_ = 0;  // 0: no step is emulated
  double cv_ = 0;
  bool computes_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t index_ = 0;
};

}  // namespace stepbench::loader
