// SPDX-License-Identifier: Apache-2.0
// Traces of a busy device into which a test plants one cause of lost time, of exact size.
#pragma once

#include "harness/findings/finding.h"
#include "harness/traces/rules.h"
#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench {

inline constexpr std::int64_t kStepNs = 100'000'000;
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kSteps = 8;  // the first and the last are excluded from the numbers

// One step of a trace whose device is busy except for a gap.
struct PlantedStep {
  TraceMaker& trace;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t gap_ns = 0;  // the device is idle from gap_begin_ns on
  std::int64_t number = 0;

  [[nodiscard]] std::int64_t gap_begin_ns() const { return begin_ns + 10'000'000; }
  [[nodiscard]] std::int64_t gap_end_ns() const { return gap_begin_ns() + gap_ns; }
};

using Plant = std::function<void(PlantedStep&)>;

// The device waits for `gap_ns` in each step, and `plant` adds the cause. Otherwise a kernel runs
// and the step thread is inside an op. The op's work was launched at the start of the step.
inline traces::Trace planted(std::int64_t gap_ns, const Plant& plant,
                             std::int64_t step_ns = kStepNs,
                             const std::function<void(TraceMaker&)>& header = {}) {
  TraceMaker trace;
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < kSteps; ++number) {
    PlantedStep step{.trace = trace,
                     .begin_ns = at_ns,
                     .end_ns = at_ns + step_ns,
                     .gap_ns = gap_ns,
                     .number = number};
    trace.step(number, step.begin_ns, step.end_ns);
    trace.op("aten::conv2d", step.begin_ns, step.gap_begin_ns());
    trace.called(trace.kernel("before", step.begin_ns + 10, step.gap_begin_ns()),
                 "cudaLaunchKernel", step.begin_ns + 2, step.begin_ns + 6);
    plant(step);
    if (step.gap_end_ns() < step.end_ns) {
      trace.op("aten::linear", step.gap_end_ns(), step.end_ns);
      trace.called(trace.kernel("after", step.gap_end_ns(), step.end_ns), "cudaLaunchKernel",
                   step.begin_ns + 6, step.begin_ns + 9);
    }
    at_ns = step.end_ns;
  }
  if (header) header(trace);
  return trace.finish();
}

// Rows in thousandths of the gap.
inline Plant in_gap(std::string rows) {
  return [rows = std::move(rows)](PlantedStep& step) {
    draw(step.trace, rows, step.gap_ns / 1000, step.gap_begin_ns());
  };
}

inline std::vector<Finding> causes_of(const traces::Trace& trace,
                                      const traces::RuleOptions& options = {}) {
  return traces::find_causes(trace, traces::analyse(trace), options);
}

// Null if the rule is silent or undecided.
inline const Finding* find_made(const std::vector<Finding>& findings, std::string_view id) {
  for (const Finding& each : findings) {
    if (each.id == id && each.undecided.empty()) return &each;
  }
  return nullptr;
}

}  // namespace stepbench
