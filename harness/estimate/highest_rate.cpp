// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/highest_rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/estimate/step_columns.h"
#include "harness/stats/order.h"
#include "harness/stats/random.h"

namespace stepbench::estimate {
namespace {

constexpr std::size_t kRequests = 200'000;
constexpr std::size_t kSettling = kRequests / 10;
constexpr double kLateShare = 0.01;
constexpr double kHighestLoad = 0.99;

// Distances of arrivals at a rate of one per second, the same for all servers.
const std::vector<double>& unit_distances() {
  static const std::vector<double> distances = [] {
    stats::Random random(20'261'123);
    std::vector<double> drawn(kRequests);
    for (double& each : drawn) each = -std::log(1 - random.unit());
    return drawn;
  }();
  return distances;
}

// Fewer wait longer at a lower rate, each by itself: the distances only grow.
bool keeps_limit(std::span<const double> services, double limit, double distance, bool fixed) {
  const std::vector<double>& unit = unit_distances();
  const double allowed = kLateShare * static_cast<double>(kRequests - kSettling);
  double wait = 0;
  double late = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < kRequests; ++i) {
    const double latency = wait + services[next];
    if (++next == services.size()) next = 0;
    if (i >= kSettling && latency > limit && ++late > allowed) return false;
    wait = std::max(0.0, latency - distance * (fixed ? 1 : unit[i]));
  }
  return true;
}

// How long the server was busy with each request.
std::vector<double> services_of(const record::Launch& launch) {
  std::vector<double> times = quantile_times(launch);
  const StepColumns steps(launch);
  if (!steps.complete("queue_wait_ns")) return times;
  const std::vector<double> wait = steps.values("queue_wait_ns");
  for (std::size_t i = 0; i < times.size(); ++i) times[i] -= wait[i];
  return times;
}

}  // namespace

double highest_rate_per_s(std::span<const double> services_ns, double limit_ns,
                          bool fixed_arrivals) {
  constexpr double kNs = 1e9;
  constexpr int kHalvings = 20;
  const auto late = std::count_if(services_ns.begin(), services_ns.end(),
                                  [&](double ns) { return ns > limit_ns; });
  const double count = static_cast<double>(services_ns.size());
  if (services_ns.empty() || static_cast<double>(late) > kLateShare * count) return 0;
  const double mean = std::accumulate(services_ns.begin(), services_ns.end(), 0.0) / count;
  const auto keeps = [&](double load) {
    return keeps_limit(services_ns, limit_ns, mean / load, fixed_arrivals);
  };
  if (keeps(kHighestLoad)) return kHighestLoad / mean * kNs;
  double low = 0;
  double high = kHighestLoad;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (keeps(middle) ? low : high) = middle;
  }
  return low / mean * kNs;
}

std::optional<HighestRate> highest_rate(std::span<const record::Launch* const> launches) {
  constexpr double kNsOfMs = 1e6;
  if (launches.empty()) return std::nullopt;
  const auto limit_ms = number_of(launches.front()->row.options, "schedule.arrivals.p99_limit_ms");
  if (!limit_ms) return std::nullopt;
  const bool fixed = text_of(launches.front()->row.options, "schedule.arrivals.process") == "fixed";
  HighestRate found{.limit_ns = *limit_ms * kNsOfMs};
  std::vector<double> rates;
  for (const record::Launch* launch : launches) {
    const std::vector<double> services = services_of(*launch);
    if (services.size() < kMinStepsForP99) return std::nullopt;
    rates.push_back(highest_rate_per_s(services, found.limit_ns, fixed));
  }
  found.per_s = stats::median(rates);
  found.interval = stats::median_interval(rates, 0.95);
  return found;
}

}  // namespace stepbench::estimate
