// SPDX-License-Identifier: Apache-2.0
// How many requests a second a server can take while their 99th percentile stays below a limit, by
// the times that its answers took: Lindley's recursion (1952), W' = max(0, W + S - T), over the
// measured services S in their order, again and again, and drawn distances T of arrivals; to about
// 5 %. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/record/reader.h"
#include "harness/stats/interval.h"

namespace stepbench::estimate {

// Of one server; 0: of its answers alone one in a hundred takes longer. No server is loaded beyond
// 99 %, where queues settle too slowly to be known.
[[nodiscard]] double highest_rate_per_s(std::span<const double> services_ns, double limit_ns,
                                        bool fixed_arrivals);

struct HighestRate {
  double limit_ns = 0;
  double per_s = 0;                              // median over launches
  std::optional<stats::Interval> interval = {};  // 95 %, over six launches or more
};

// Nothing without schedule.arrivals.p99_limit_ms, or where a launch has fewer than 300 requests.
[[nodiscard]] std::optional<HighestRate> highest_rate(
    std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
