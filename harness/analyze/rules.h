// SPDX-License-Identifier: Apache-2.0
// What an analysis means for its user: causes of lost time, each with the number it rests on, what
// could be won at most, what to do and where to look. All rules stand in one table with their
// thresholds. Pure; any thread.
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
  double threshold = 0;    // default: the finding is made from here on
  std::string_view unit;   // "ratio", "count", "ns"
  std::string_view about;  // what it looks at, for help and documents
  // The rule of `nsys analyze` that looks at the same; empty: none does.
  std::string_view nsys;
};
[[nodiscard]] std::span<const TraceRule> trace_rules();

struct RuleOptions {
  std::optional<int> device = {};                              // as Analysis::idle_of
  std::map<std::string, double, std::less<>> thresholds = {};  // by id, instead of the default
  // Of the case that the trace is of, by full name; empty: a foreign trace, to which no `--set`
  // can be proposed.
  Fields options = {};
};

// Ranked by what could be won, then by severity; rules that could not decide come last, with the
// reason. Throws ConfigError for a threshold of an unknown rule.
[[nodiscard]] std::vector<Finding> find_causes(const trace::Trace& trace, const Analysis& analysis,
                                               const RuleOptions& options = {});

}  // namespace stepbench::analyze
