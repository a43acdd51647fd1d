// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/arrivals.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepbench::schedule {
namespace {

constexpr double kNsPerSecondOfArrivals = 1e9;

std::uint64_t seed_with(std::uint64_t seed, double number) {
  return stats::seed_of(std::array{number}, seed);
}

}  // namespace

std::uint64_t seed_of_launch(std::uint64_t seed, int launch) { return seed_with(seed, launch); }

RequestQueue::RequestQueue(const Arrivals& arrivals, std::uint64_t cycle)
    : arrivals_(arrivals), random_(seed_with(arrivals.seed, static_cast<double>(cycle))) {}

std::int64_t RequestQueue::idle_ns() {
  const double mean_ns = kNsPerSecondOfArrivals / arrivals_.rate_per_s;
  ++requests_;
  arrival_ns_ = arrivals_.process == ArrivalProcess::kFixed
                    ? mean_ns * static_cast<double>(requests_)
                    : arrival_ns_ - mean_ns * std::log(1 - random_.unit());
  return std::max<std::int64_t>(std::llround(arrival_ns_) - now_ns_, 0);
}

std::int64_t RequestQueue::begin(std::int64_t idle_ns) {
  now_ns_ += idle_ns;
  return std::max<std::int64_t>(now_ns_ - std::llround(arrival_ns_), 0);
}

}  // namespace stepbench::schedule
