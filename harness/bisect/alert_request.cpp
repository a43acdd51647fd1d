// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/run_bisect.h"
#include "harness/machine/environment.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

struct Moved {
  const nights::AlertSeries* at = nullptr;
  const nights::TrackedSeries* series = nullptr;
};

Moved chosen(const nights::Alert& alert, const nights::History& history, const std::string& named) {
  Moved chosen;
  std::vector<std::string> known;
  for (const nights::AlertSeries& each : alert.series) {
    const nights::SeriesHistory* found = history.find_series(each.id);
    if (found == nullptr || each.back) continue;
    const nights::TrackedSeries* series = &found->series;
    known.push_back(formatted("{} ({})", each.id.substr(0, 8), series->metric));
    if (!each.id.starts_with(named)) continue;
    const bool nearer = chosen.series == nullptr || (chosen.series->metric != nights::kStepSeries &&
                                                     series->metric == nights::kStepSeries);
    if (nearer) chosen = {&each, series};
  }
  if (chosen.series != nullptr) return chosen;
  throw ConfigError(named.empty() ? alert.id : "--series",
                    known.empty()
                        ? "its series are not in the history"
                        : formatted("expected one of {}, found '{}'", text::join(known), named));
}

const nights::TrackedRun& night(const std::string& run_id, const char* which,
                                const nights::Alert& alert, const nights::History& history) {
  const nights::TrackedRun* found = history.find_run(run_id);
  if (found == nullptr) {
    throw ConfigError(
        alert.id,
        formatted(
            "its {} night{}; `stepbench bisect GOOD BAD` searches between any two commits", which,
            run_id.empty() ? " is unknown" : formatted(", {}, is not in the history", run_id)));
  }
  if (found->git_sha.empty()) {
    throw ConfigError(alert.id, formatted("its {} night, {}, was not measured in a git repository",
                                          which, run_id));
  }
  return *found;
}

}  // namespace

BisectRequest request_of_alert(const nights::Alert& alert, nights::TrackStore& store,
                               const std::string& series, BisectRequest basis) {
  const nights::History history = store.history({.host = machine::host_name("/")});
  const Moved moved = chosen(alert, history, series);
  const nights::TrackedRun& good = night(moved.at->change.good, "last good", alert, history);
  const nights::TrackedRun& bad = night(moved.at->change.bad, "first bad", alert, history);
  if (good.git_sha == bad.git_sha) {
    throw ConfigError(alert.id,
                      formatted("both nights are of commit {}: the program did not change",
                                short_id({.id = good.git_sha})));
  }
  basis.good = good.git_sha;
  basis.bad = bad.git_sha;
  basis.file = bad.config_path;
  basis.text = bad.config_text;
  basis.set.insert(basis.set.begin(), bad.asked.set.begin(), bad.asked.set.end());
  basis.sweep = bad.asked.sweep;
  basis.cases = {moved.series->case_id};
  const std::string& metric = moved.series->metric;
  basis.metric = metric == nights::kStepSeries ? "step"
                 : metric.starts_with(nights::kPhaseSeries)
                     ? metric.substr(nights::kPhaseSeries.size())
                     : metric;
  if (!basis.size) basis.size = std::abs(std::expm1(moved.at->change.size));
  basis.layout = nights::learnt_layout(store, alert, moved.series->id);
  return basis;
}

}  // namespace stepbench::bisect
