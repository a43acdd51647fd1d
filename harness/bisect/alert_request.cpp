// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/alert_request.h"

#include <cmath>
#include <string_view>

#include "harness/base/error.h"
#include "harness/bisect/programs.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

constexpr std::string_view kStep = "step_ns";

struct Moved {
  const nights::AlertSeries* at = nullptr;
  const track::TrackedSeries* series = nullptr;
};

Moved chosen(const nights::Alert& alert, const track::History& history, const std::string& named) {
  Moved chosen;
  std::vector<std::string> known;
  for (const nights::AlertSeries& each : alert.series) {
    const track::SeriesHistory* found = history.find_series(each.id);
    if (found == nullptr || each.back) continue;
    const track::TrackedSeries* series = &found->series;
    known.push_back(each.id.substr(0, 8) + " (" + series->metric + ")");
    if (!each.id.starts_with(named)) continue;
    const bool nearer =
        chosen.series == nullptr || (chosen.series->metric != kStep && series->metric == kStep);
    if (nearer) chosen = {&each, series};
  }
  if (chosen.series != nullptr) return chosen;
  throw ConfigError(named.empty() ? alert.id : "--series",
                    known.empty()
                        ? "none of its series is in the history"
                        : "expected one of " + text::join(known) + ", found '" + named + "'");
}

const track::TrackedRun& night(const std::string& run_id, const char* which,
                               const nights::Alert& alert, const track::History& history) {
  const track::TrackedRun* found = history.find_run(run_id);
  if (found == nullptr) {
    throw ConfigError(
        alert.id,
        std::string("its ") + which + " night" +
            (run_id.empty() ? " is not known" : ", " + run_id + ", is not in the history") +
            "; `stepbench bisect GOOD BAD` searches between any two commits");
  }
  if (found->git_sha.empty()) {
    throw ConfigError(alert.id, std::string("its ") + which + " night, " + run_id +
                                    ", was not measured in a git repository");
  }
  return *found;
}

}  // namespace

BisectRequest request_of_alert(const nights::Alert& alert, const track::History& history,
                               const std::string& series, BisectRequest basis) {
  const Moved moved = chosen(alert, history, series);
  const track::TrackedRun& good = night(moved.at->change.good, "last good", alert, history);
  const track::TrackedRun& bad = night(moved.at->change.bad, "first bad", alert, history);
  if (good.git_sha == bad.git_sha) {
    throw ConfigError(alert.id, "both nights are of commit " + short_id({.id = good.git_sha}) +
                                    ": something else than the program changed");
  }
  basis.good = good.git_sha;
  basis.bad = bad.git_sha;
  basis.arms.file = bad.config_path;
  basis.arms.text = bad.config_text;
  basis.arms.set.insert(basis.arms.set.begin(), bad.asked.set.begin(), bad.asked.set.end());
  basis.arms.sweep = bad.asked.sweep;
  basis.arms.cases = {moved.series->case_id};
  const std::string& metric = moved.series->metric;
  basis.metric = metric == kStep ? "step"
                 : metric.starts_with(track::kPhaseSeries)
                     ? metric.substr(track::kPhaseSeries.size())
                     : metric;
  if (!basis.size) basis.size = std::abs(std::expm1(moved.at->change.size));
  return basis;
}

}  // namespace stepbench::bisect
