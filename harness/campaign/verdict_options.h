// SPDX-License-Identifier: Apache-2.0
// What `compare` and `ab` are told about a verdict: margins and what may differ. Pure; throw
// ConfigError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {

// What is tested by the names of --metric, with the margins of the plan's section `compare` and
// those of --margin over them: "step=2%", "0.02" (of the step), "peak_bytes=0". `plan`: null where
// there is none. `columns`: of both sides.
struct TestedRequest {
  const std::vector<std::string>& metrics;
  const std::vector<std::string>& margins;
};
[[nodiscard]] compare::TestedMetrics tested_metrics(const TestedRequest& request,
                                                    const std::vector<Metric>& columns,
                                                    const plan::Plan* plan);

// What decides by the options of a case, `compare.gate`: counts.
[[nodiscard]] bool gates_counts(const OptionValues& options);
[[nodiscard]] bool gates_counts(const plan::Plan& plan);  // of its first case
// `compare.margin.counts`; nullopt: auto, or not given.
[[nodiscard]] std::optional<double> count_margin_of(const OptionValues& options);
[[nodiscard]] std::optional<double> count_margin_of(const plan::Plan& plan);

// Takes the margin of all counts, "counts=0.1%", out of `margins`; the last one counts. Throws
// where counts do not decide.
[[nodiscard]] std::optional<double> take_count_margin(std::vector<std::string>& margins,
                                                      bool gate_counts);

// Throws for a name in `allow` that is none of `known`, with the nearest one.
void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known);

}  // namespace stepbench::campaign
