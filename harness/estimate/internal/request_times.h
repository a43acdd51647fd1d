// SPDX-License-Identifier: Apache-2.0
// Waiting times of requests: quantiles over all requests of a case's launches together, with
// intervals that assume only independence between launches. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/result_file.h"

namespace stepbench::estimate {

// Kinds of waiting times, in the order of the samples' columns.
struct WaitKind {
  std::string_view column;  // "time_to_first_token_ns"
  std::string_view name;    // "time to first token"
};
inline constexpr std::array<WaitKind, 3> kWaitKinds = {
    {{"request_latency_ns", "request latency"},
     {"time_to_first_token_ns", "time to first token"},
     {"time_per_output_token_ns", "time per output token"}}};

struct QuantileKind {
  double share;
  std::string_view name;    // "p99.9"
  std::string_view suffix;  // suffix of column names: "p999"
};
inline constexpr std::array<QuantileKind, 3> kRequestQuantiles = {
    {{0.5, "p50", "p50"}, {0.99, "p99", "p99"}, {0.999, "p99.9", "p999"}}};

// Quantile with its 95 % interval. If there are too few requests for the quantile, only the lower
// end is set, as a lower bound.
struct RequestQuantile {
  std::optional<double> ns = {};
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};
};

struct RequestTimes {
  WaitKind kind = {};
  std::array<RequestQuantile, kRequestQuantiles.size()> quantiles = {};
};

// Empty if steps answer no requests. A single launch is split into ten stretches.
[[nodiscard]] std::vector<RequestTimes> request_times(
    std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
