// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/internal/request_times.h"

#include "harness/estimate/internal/launch_estimate.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

constexpr double kConfidenceOfRequests = 0.95;
constexpr std::size_t kStretches = 10;

// Returns independent parts of the values: the launches, or ten stretches of a single launch.
std::vector<std::span<const double>> independent_parts(
    const std::vector<std::vector<double>>& launches) {
  std::vector<std::span<const double>> parts(launches.begin(), launches.end());
  if (parts.size() > 1) return parts;
  const std::span<const double> only = parts.front();
  const std::size_t length = only.size() / kStretches;
  if (length == 0) return parts;
  parts.clear();
  for (std::size_t i = 0; i + 1 < kStretches; ++i)
    parts.push_back(only.subspan(i * length, length));
  parts.push_back(only.subspan((kStretches - 1) * length));
  return parts;
}

}  // namespace

std::vector<RequestTimes> request_times(std::span<const record::Launch* const> of_case) {
  std::vector<RequestTimes> all;
  for (const WaitKind& kind : kWaitKinds) {
    std::vector<std::vector<double>> launches;
    for (const record::Launch* launch : of_case) {
      std::vector<double> values = StepColumns(*launch).values(kind.column);
      if (!values.empty()) launches.push_back(std::move(values));
    }
    if (launches.empty()) continue;
    const auto parts = independent_parts(launches);
    RequestTimes times{.kind = kind};
    for (std::size_t i = 0; i < kRequestQuantiles.size(); ++i) {
      const auto found =
          stats::grouped_quantile(parts, kRequestQuantiles[i].share, kConfidenceOfRequests);
      if (!found) continue;
      RequestQuantile& quantile = times.quantiles[i];
      if (found->high) quantile.ns = found->value;
      quantile.low_ns = found->low;
      quantile.high_ns = found->high;
    }
    all.push_back(times);
  }
  return all;
}

}  // namespace stepbench::estimate
