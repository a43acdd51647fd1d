// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/as_history.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace stepbench::foreign {

track::History as_history(const track::Import& import) {
  track::History history{.cohorts = import.cohorts};
  std::vector<std::size_t> order(import.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t at) {
      const track::TrackedRun& run = import.runs[at].run;
      return std::tie(run.started_utc, run.run_id);
    };
    return key(a) < key(b);
  });
  std::unordered_map<std::string, std::size_t> places;
  for (const std::size_t at : order) {
    const track::ImportedRun& run = import.runs[at];
    for (const track::ImportedCase& one : run.cases) {
      std::vector<track::LaunchValues> launches;
      for (const track::ImportedLaunch& launch : one.launches) {
        if (!launch.values.values.empty()) launches.push_back(launch.values);
      }
      for (const track::CasePoint& point : track::case_points(launches)) {
        track::TrackedSeries series = track::series_of(one, point.metric);
        const auto [known, is_new] = places.try_emplace(series.id, history.series.size());
        if (is_new) {
          series.experiment = run.run.experiment;
          history.series.push_back({.series = std::move(series)});
        }
        history.series[known->second].points.push_back({.run = history.runs.size(),
                                                        .value = point.value,
                                                        .low = point.low,
                                                        .high = point.high,
                                                        .launches = point.launches,
                                                        .steps = point.steps,
                                                        .cohort = one.launches.back().cohort});
      }
    }
    history.runs.push_back(run.run);
  }
  return history;
}

}  // namespace stepbench::foreign
