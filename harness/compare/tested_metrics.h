// SPDX-License-Identifier: Apache-2.0
// Which numbers a comparison tests and lets decide: the step and the peak of memory, or those that
// the user named. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/rows.h"

namespace stepbench::compare {

inline constexpr double kDefaultMargin = 0.01;

enum class MetricKind : std::uint8_t {
  kStep,   // the headline: the step, or the latency with schedule.sync: step
  kPeak,   // the peak of memory that says most of a case
  kPhase,  // a phase of the step, on the clock of the step
  kOther   // a percentile, a rate, a column of the steps or what the workload reports
};

struct TestedMetric {
  std::string name;    // as people see it: "step", "peak_bytes", "step_p99", "forward"
  std::string metric;  // by which it stands in the result file: "step_p99_ns", "forward_ns"
  std::string unit = {};
  MetricKind kind = MetricKind::kOther;
  Direction direction = Direction::kLowerIsBetter;
  bool exact = false;
  // The relative change that does not matter. Unset: kDefaultMargin; of a peak none at all where
  // every launch of an arm has the same one, for what the operating system counts varies by pages
  // and an allocator's peak does not.
  std::optional<double> margin = {};

  // The machine's speed is in it: noise of the step is noise of this.
  [[nodiscard]] bool is_timed() const { return kind != MetricKind::kPeak && unit != "bytes"; }
};

struct TestedMetrics {
  std::vector<TestedMetric> metrics;  // in the order of the table
  // Nobody named any: a peak is tested only where there is one, and exact counts beside it.
  bool by_default = true;

  // "step, peak_bytes"
  [[nodiscard]] std::string names() const;
};

// The step and the peak of memory.
[[nodiscard]] TestedMetrics default_metrics();

// Those that `names` mean: as `list metrics`, the head of a table or a phase says it, whole or
// without "_ns". None: the default. `columns`: what the results or the workers declare. Throws
// ConfigError with the nearest one if a name is unknown, or for a number that is neither better
// nor worse when it changes.
[[nodiscard]] TestedMetrics tested_metrics(std::span<const std::string> names,
                                           const std::vector<Metric>& columns);

// The one of `tested` that `name` means, by the same rules; null: none.
[[nodiscard]] TestedMetric* find_tested(TestedMetrics& tested, std::string_view name,
                                        const std::vector<Metric>& columns);

}  // namespace stepbench::compare
