// SPDX-License-Identifier: Apache-2.0
// Selects the metrics that a comparison tests and judges: the step and the memory peak by default,
// or those that the user named. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/rows.h"

namespace stepbench::verdict {

inline constexpr double kDefaultMargin = 0.01;

enum class MetricKind : std::uint8_t {
  kStep,   // main number: the step, or the latency with schedule.sync=step
  kPeak,   // the most relevant memory peak of a case, see peak_name()
  kPhase,  // a phase of the step, on its clock
  kOther   // a percentile, a rate, a column of the steps or a metric reported by the workload
};

struct TestedMetric {
  std::string name;    // display name: "step", "peak_bytes", "step_p99", "forward"
  std::string metric;  // name in the result file: "step_p99_ns", "forward_ns"
  std::string unit = {};
  MetricKind kind = MetricKind::kOther;
  Direction direction = Direction::kLowerIsBetter;
  bool exact = false;
  // Largest relative change that does not matter. Unset: kDefaultMargin; but zero for a peak that
  // is equal in every launch of an arm, since an allocator's peak does not vary, while numbers of
  // the operating system vary by pages.
  std::optional<double> margin = {};

  // True if it depends on the machine's speed: noise of the step affects it.
  [[nodiscard]] bool is_timed() const { return kind != MetricKind::kPeak && unit != "bytes"; }
};

struct TestedMetrics {
  std::vector<TestedMetric> metrics;  // in the order of the table
  // The user named none: a peak is tested only if it exists, and exact counts are tested too.
  bool by_default = true;

  // "step, peak_bytes"
  [[nodiscard]] std::string names() const;
};

// The step and the peak of memory.
[[nodiscard]] TestedMetrics default_metrics();

// Resolves `names`: as in `list metrics`, the head of a table or a phase, with or without "_ns".
// Empty `names`: the default. `columns`: metrics declared by the results or the workers. Throws
// ConfigError with a suggestion for an unknown name, and for a metric without a direction.
[[nodiscard]] TestedMetrics tested_metrics(std::span<const std::string> names,
                                           const std::vector<Metric>& columns);

// Finds `name` in `tested` by the same rules; null if there is none.
[[nodiscard]] TestedMetric* find_tested(TestedMetrics& tested, std::string_view name,
                                        const std::vector<Metric>& columns);

}  // namespace stepbench::verdict
