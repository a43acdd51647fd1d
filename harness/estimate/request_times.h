// SPDX-License-Identifier: Apache-2.0
// How long those waited who asked: quantiles over the requests of a case, of all its launches
// together, with intervals that only take launches for independent. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::estimate {

// What a user waits for, in the order of the columns of samples.
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
  std::string_view suffix;  // of columns: "p999"
};
inline constexpr std::array<QuantileKind, 3> kRequestQuantiles = {
    {{0.5, "p50", "p50"}, {0.99, "p99", "p99"}, {0.999, "p99.9", "p999"}}};

// 95 %. Where the requests cannot carry the quantile there is no upper end and no value, and the
// lower end bounds it.
struct RequestQuantile {
  std::optional<double> ns = {};
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};
};

struct RequestTimes {
  WaitKind kind = {};
  std::array<RequestQuantile, kRequestQuantiles.size()> quantiles = {};
};

// Empty where steps answer no requests. Of one launch by ten stretches of it.
[[nodiscard]] std::vector<RequestTimes> request_times(
    std::span<const record::Launch* const> launches);

}  // namespace stepbench::estimate
