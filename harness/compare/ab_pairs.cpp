// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/ab_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "harness/base/error.h"

namespace stepbench::compare {
namespace {

struct Halves {
  const record::Launch* a = nullptr;
  const record::Launch* b = nullptr;
};

bool is_measured(const record::Launch* launch) {
  return launch != nullptr && launch->row.outcome.kind == Outcome::Kind::kMeasured;
}

auto run_order(const record::Launch& launch) {
  return std::make_tuple(launch.place, launch.row.position);
}

void note_reason(const record::Launch* launch, CaseLaunches& to) {
  if (launch == nullptr || is_measured(launch)) return;
  if (to.not_measured++ == 0) to.reason = launch->row.outcome.reason;
}

using Places = std::map<const record::Launch*, std::size_t>;

void add_measured(const record::Launch* launch, const OtherRanks& other_ranks, CaseLaunches& to) {
  to.measured.push_back(launch);
  if (launch->row.world > 1) to.other_ranks.push_back(other_ranks.of(*launch));
}

AbPairs pairs_of(const std::map<int, Halves>& halves, const Places& places,
                 const OtherRanks& other_ranks) {
  AbPairs result;
  for (const auto& [number, both] : halves) {
    CasePair& pair = result.pair;
    if (both.a != nullptr && pair.base.first == nullptr) pair.base.first = &both.a->row;
    if (both.b != nullptr && pair.candidate.first == nullptr) pair.candidate.first = &both.b->row;
    note_reason(both.a, pair.base);
    note_reason(both.b, pair.candidate);
    if (is_measured(both.a)) result.base_launches.push_back(both.a);
    if (both.a == nullptr || both.b == nullptr) continue;
    if (!is_measured(both.a) || !is_measured(both.b)) {
      ++result.dropped;
      continue;
    }
    add_measured(both.a, other_ranks, pair.base);
    add_measured(both.b, other_ranks, pair.candidate);
    const std::size_t a = places.at(both.a);
    const std::size_t b = places.at(both.b);
    if (a < b) ++result.a_first;
    if (std::max(a, b) - std::min(a, b) != 1) result.neighbours = false;
  }
  std::sort(result.base_launches.begin(), result.base_launches.end(),
            [&](const record::Launch* x, const record::Launch* y) {
              return places.at(x) < places.at(y);
            });
  return result;
}

}  // namespace

std::string arm_label(std::string_view arm) { return arm == kArmA ? "arm A" : "arm B"; }

std::vector<AbPairs> ab_pairs(const record::Results& results, const std::vector<AbPoint>& points) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  return ab_pairs(launches, points);
}

std::vector<AbPairs> ab_pairs(std::span<const record::Launch* const> launches,
                              const std::vector<AbPoint>& points, std::size_t most) {
  std::map<std::pair<std::string_view, bool>, std::vector<std::size_t>> wanted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    wanted[{points[i].a_case, false}].push_back(i);
    wanted[{points[i].b_case, true}].push_back(i);
  }
  std::vector<std::map<int, Halves>> halves(points.size());
  std::vector<const record::Launch*> timed;
  OtherRanks other_ranks;
  for (const record::Launch* each : launches) {
    const record::Launch& launch = *each;
    const record::LaunchKey& key = launch.row.key;
    if (key.pass != Pass::kTiming || (key.arm != kArmA && key.arm != kArmB)) continue;
    if (key.rank != 0) {
      other_ranks.add(launch);
      continue;
    }
    if (launch.row.smoke) throw ConfigError("--resume", "the folder holds rows of a smoke run");
    if (static_cast<std::size_t>(key.launch) >= most) continue;
    const bool is_b = key.arm == kArmB;
    const auto found = wanted.find({key.case_id, is_b});
    if (found == wanted.end()) continue;
    for (const std::size_t index : found->second) {
      Halves& both = halves[index][key.launch];
      (is_b ? both.b : both.a) = &launch;
    }
  }
  for (const auto& one : halves) {
    for (const auto& [number, both] : one) {
      for (const record::Launch* launch : {both.a, both.b}) {
        if (launch != nullptr) timed.push_back(launch);
      }
    }
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const record::Launch* x, const record::Launch* y) {
                     return run_order(*x) < run_order(*y);
                   });
  Places places;
  for (std::size_t i = 0; i < timed.size(); ++i) places.emplace(timed[i], i);
  std::vector<AbPairs> result;
  result.reserve(points.size());
  for (const auto& one : halves) result.push_back(pairs_of(one, places, other_ranks));
  return result;
}

std::vector<MetricSamples> metric_samples(const AbPairs& pairs, const std::vector<Metric>& columns,
                                          const TestedMetrics& tested) {
  return metric_samples(pairs, MetricValues(pairs.pair), columns, tested);
}

std::vector<MetricSamples> metric_samples(const AbPairs& pairs, const MetricValues& values,
                                          const std::vector<Metric>& columns,
                                          const TestedMetrics& tested) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<MetricSamples> all_samples = metric_samples(pairs.pair, values, columns, tested);
  for (MetricSamples& asked : all_samples) {
    asked.samples.base.resize(asked.samples.base.size() + pairs.dropped, kNan);
    asked.samples.candidate.resize(asked.samples.candidate.size() + pairs.dropped, kNan);
  }
  return all_samples;
}

Design design_of(const std::vector<AbPairs>& points) {
  constexpr double kMaxUneven = 0.2;
  for (const AbPairs& point : points) {
    const auto n = static_cast<double>(point.pair.base.measured.size());
    const double uneven = std::abs(2 * static_cast<double>(point.a_first) - n);
    if (!point.neighbours || uneven > std::max(2.0, kMaxUneven * n)) return Design::kSequential;
  }
  return Design::kInterleaved;
}

}  // namespace stepbench::compare
