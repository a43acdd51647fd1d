// SPDX-License-Identifier: Apache-2.0
// Turns an analysis into findings for the user: causes of lost time, each with the number it is
// based on, the upper bound of the gain, a remedy and the place to look at. One table holds all
// rules and their thresholds. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/base/value.h"

namespace stepbench {
struct Finding;
}  // namespace stepbench

namespace stepbench::analyze {

struct TraceRule {
  std::string_view id;     // "trace.sync_bound"
  double threshold = 0;    // default; the finding is reported from this value on
  std::string_view unit;   // "ratio", "count", "ns"
  std::string_view about;  // subject of the rule, for help and documents
  // The equivalent rule of `nsys analyze`; empty: none.
  std::string_view nsys;
};
[[nodiscard]] std::span<const TraceRule> trace_rules();

struct RuleOptions {
  std::optional<int> device = {};                              // as in Analysis::idle_of
  std::map<std::string, double, std::less<>> thresholds = {};  // by rule id; replaces the default
  // Options of the traced case, by full name; empty for a foreign trace: no `--set` is proposed.
  Fields options = {};
};

// Sorted by gain, then by severity; rules that could not decide come last, with a reason. Throws
// ConfigError for a threshold of an unknown rule.
[[nodiscard]] std::vector<Finding> find_causes(const trace::Trace& trace, const Analysis& analysis,
                                               const RuleOptions& options = {});

}  // namespace stepbench::analyze
