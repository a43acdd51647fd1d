// SPDX-License-Identifier: Apache-2.0
// What one comparison of two programs measured of the metric that a search judges. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/ab_comparison.h"
#include "harness/compare/comparison.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

inline constexpr std::string_view kCounts = "counts";  // as a metric: what repeats exactly

// log(candidate / base) of the pairs that both sides measured, the first `most` of them; positive
// is worse.
[[nodiscard]] std::vector<double> log_ratios_of(const record::Results& results,
                                                const compare::AbPoint& point,
                                                const compare::TestedMetrics& tested,
                                                const std::vector<Metric>& columns,
                                                std::size_t most);

// Of a comparison that counts decide: the count that rose most; empty: none did.
[[nodiscard]] std::string risen_count(const compare::CaseResult& one);
// Of this count as many log ratios as a side needs, all the same: counts do not vary. Empty: it was
// not counted on both sides.
[[nodiscard]] std::vector<double> log_ratios_of_count(const compare::CaseResult& one,
                                                      std::string_view count);
// The log ratio itself; nullopt as above.
[[nodiscard]] std::optional<double> log_ratio_of_count(const compare::CaseResult& one,
                                                       std::string_view count);

}  // namespace stepbench::bisect
