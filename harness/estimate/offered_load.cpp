// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/offered_load.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/step_columns.h"
#include "harness/stats/order.h"

namespace stepbench::estimate {
namespace {

constexpr double kNsOfSecond = 1e9;
// The mean wait of a queue that began empty is read off 4 to 8 % too short after so many times
// `settles` (M/D/1 and M/M/1 at 50 to 95 % load), and a quarter too short after `settles`.
constexpr double kSettledTimes = 5;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

LoadState OfferedLoad::state() const {
  if (utilisation >= 1 || requests < settles) return LoadState::kOverload;
  return requests < kSettledTimes * settles ? LoadState::kSettling : LoadState::kSteady;
}

std::optional<OfferedLoad> offered_load(const record::Launch& launch) {
  const StepColumns steps(launch);
  const auto rate = number_of(launch.row.options, "schedule.arrivals.rate");
  if (!rate || !steps.complete("queue_wait_ns") || !steps.complete("request_latency_ns")) {
    return std::nullopt;
  }
  std::vector<double> service = steps.values("request_latency_ns");
  const std::vector<double> wait = steps.values("queue_wait_ns");
  for (std::size_t i = 0; i < service.size(); ++i) service[i] -= wait[i];
  std::set<std::int64_t> cycles;
  for (const record::CycleSamples& samples : launch.samples) cycles.insert(samples.cycle);

  OfferedLoad load{.rate_per_s = *rate, .service_ns = mean_of(service)};
  const double distance_ns = kNsOfSecond / *rate;
  load.utilisation = load.service_ns / distance_ns;
  load.requests = static_cast<double>(service.size()) / static_cast<double>(cycles.size()) +
                  number_of(launch.row.report.schedule, "warmup").value_or(0);
  const double sd = stats::standard_deviation(service);
  const bool fixed = text_of(launch.row.options, "schedule.arrivals.process") == "fixed";
  const double variance = sd * sd + (fixed ? 0 : distance_ns * distance_ns);
  const double spare_ns = distance_ns - load.service_ns;
  load.settles =
      spare_ns > 0 ? 2 * variance / (spare_ns * spare_ns) : std::numeric_limits<double>::infinity();
  return load;
}

std::optional<OfferedLoad> offered_load(std::span<const OfferedLoad> launches) {
  if (launches.empty()) return std::nullopt;
  OfferedLoad load = launches.front();
  const auto mean = [&](double OfferedLoad::*member) {
    double sum = 0;
    for (const OfferedLoad& each : launches) sum += each.*member;
    return sum / static_cast<double>(launches.size());
  };
  load.service_ns = mean(&OfferedLoad::service_ns);
  load.utilisation = mean(&OfferedLoad::utilisation);
  std::vector<double> settles;
  for (const OfferedLoad& each : launches) settles.push_back(each.settles);
  std::sort(settles.begin(), settles.end());
  load.settles = settles[settles.size() / 2];  // infinite if it is in half of them
  load.requests = mean(&OfferedLoad::requests);
  return load;
}

}  // namespace stepbench::estimate
