// SPDX-License-Identifier: Apache-2.0
// Parses verdict options of `compare` and `ab`. Pure; throw ConfigError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// Returns the metrics named by --metric, with margins from the plan's section `compare`, overridden
// by --margin: "step=2%", "0.02" (for the step), "peak_bytes=0". `plan`: null if there is none.
// `columns`: of both sides.
struct TestedRequest {
  const std::vector<std::string>& metrics;
  const std::vector<std::string>& margins;
};
[[nodiscard]] compare::TestedMetrics tested_metrics(const TestedRequest& request,
                                                    const std::vector<Metric>& columns,
                                                    const plan::Plan* plan);

// True if counts decide: case option `compare.gate`.
[[nodiscard]] bool gates_counts(const OptionValues& options);
[[nodiscard]] bool gates_counts(const plan::Plan& plan);  // uses its first case
// `compare.margin.counts`; nullopt: auto, or not given.
[[nodiscard]] std::optional<double> count_margin_of(const OptionValues& options);
[[nodiscard]] std::optional<double> count_margin_of(const plan::Plan& plan);

// Removes the margin of all counts, "counts=0.1%", from `margins` and returns it; the last one
// wins. Throws if counts do not decide.
[[nodiscard]] std::optional<double> take_count_margin(std::vector<std::string>& margins,
                                                      bool gate_counts);

// Throws for a name in `allow` that is not in `known`, naming the nearest one.
void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known);

}  // namespace stepbench::campaign
