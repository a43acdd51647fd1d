// SPDX-License-Identifier: Apache-2.0
#include "harness/track/kept_programs.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "harness/text/utc.h"
#include "harness/track/bridge.h"
#include "harness/track/reference.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kDateDigits = 10;
constexpr std::size_t kMonthDigits = 7;

bool stands_for_a_level(const Alert& alert) {
  return alert.state == AlertState::kRegression || alert.state == AlertState::kImprovement ||
         alert.state == AlertState::kAcknowledged;
}

// Run ids, by who names them.
struct NamedRuns {
  std::set<std::string> by_alerts;
  std::set<std::string> by_levels;
};

NamedRuns named_runs(std::span<const TrackEvent> events) {
  NamedRuns all;
  std::set<std::string>& named = all.by_alerts;
  std::map<std::string, std::string> levels;  // by series: the first run of its newest level
  for (const Alert& alert : fold_alerts(events).alerts) {
    for (const AlertSeries& series : alert.series) {
      if (stands_for_a_level(alert)) levels[series.id] = series.first_bad;
      if (!is_open(alert.state)) continue;
      named.insert({series.first_bad, series.last_good, series.against});
      for (const AlertMeasurement& one : series.measured) named.insert(one.good);
    }
    if (is_open(alert.state)) {
      named.insert({alert.opened_run, alert.first_bad, alert.last_good});
    }
  }
  for (const auto& [series, run] : levels) all.by_levels.insert(run);
  for (const auto& [series, bridges] : bridges_of(events)) {
    all.by_levels.insert(bridges.back().measurement.good);
  }
  std::map<std::pair<std::string, std::string>, std::string> baselines;
  std::map<std::pair<std::string, std::string>, std::string> references;  // the newest
  for (const TrackEvent& event : events) {
    if (!event.alert_id.empty()) continue;
    const bool reference = event.what == kReferenceEvent;
    if (!reference && event.what != kBaselineEvent) continue;
    (reference
         ? references
         : baselines)[{text_of(event.details, "host"), text_of(event.details, "experiment")}] =
        text_of(event.details, "run");
  }
  for (const auto& [where, run] : baselines) all.by_levels.insert(run);
  for (const auto& [where, run] : references) all.by_levels.insert(run);
  return all;
}

int days_between(std::string_view from, std::string_view to) {
  const auto first = text::parse_utc(from.substr(0, kDateDigits));
  const auto last = text::parse_utc(to.substr(0, kDateDigits));
  if (!first || !last) return 0;
  return static_cast<int>(std::chrono::duration_cast<std::chrono::hours>(*last - *first).count() /
                          24);
}

// A number that is the same for all days of a week.
long week_of(std::string_view utc) {
  const auto at = text::parse_utc(utc.substr(0, kDateDigits));
  if (!at) return 0;
  constexpr int kMonday = 3;  // 1970-01-01 was a Thursday
  const auto days =
      std::chrono::duration_cast<std::chrono::hours>(at->time_since_epoch()).count() / 24;
  return static_cast<long>((days + kMonday) / 7);
}

// Experiments of branches, which may be deleted: nightly@dev. By the newest night of each.
class DeletedBranches {
 public:
  DeletedBranches(std::span<const TrackedRun> runs, std::string_view now_utc) : now_utc_(now_utc) {
    for (const TrackedRun& run : runs) {
      if (run.experiment.find('@') == std::string::npos) continue;
      std::string& newest = newest_[{run.host, run.experiment}];
      newest = std::max(newest, run.started_utc);
    }
  }
  [[nodiscard]] bool have(const TrackedRun& run) const {
    const auto found = newest_.find({run.host, run.experiment});
    return found != newest_.end() && days_between(found->second, now_utc_) > kKeptWeekly;
  }

 private:
  std::string_view now_utc_;
  std::map<std::pair<std::string, std::string>, std::string> newest_ = {};
};

}  // namespace

std::map<std::string, KeptFor, std::less<>> programs_to_keep(std::span<const TrackedRun> runs,
                                                             std::span<const TrackEvent> events,
                                                             std::string_view host,
                                                             std::string_view now_utc) {
  const NamedRuns named = named_runs(events);
  const DeletedBranches deleted(runs, now_utc);
  std::map<std::string, KeptFor, std::less<>> kept;
  const auto keep = [&](const TrackedRun& run, KeptFor why) {
    if (run.build_id.empty()) return;
    const auto [known, is_new] = kept.try_emplace(run.build_id, why);
    if (!is_new && why < known->second) known->second = why;
  };
  std::set<std::string_view> nights;
  for (std::size_t i = runs.size(); i-- > 0;) {
    const TrackedRun& run = runs[i];
    if (run.host != host) continue;
    nights.insert(std::string_view(run.started_utc).substr(0, kDateDigits));
    if (nights.size() <= static_cast<std::size_t>(kKeptDaily)) keep(run, KeptFor::kDaily);
  }
  std::set<std::pair<std::string, long>> weeks;
  std::set<std::pair<std::string, std::string>> months;
  for (const TrackedRun& run : runs) {
    if (named.by_alerts.contains(run.run_id) ||
        (named.by_levels.contains(run.run_id) && !deleted.have(run))) {
      keep(run, KeptFor::kNamed);
    }
    if (run.host != host || run.git_dirty) continue;
    const int age = days_between(run.started_utc, now_utc);
    if (age <= kKeptWeekly && weeks.insert({run.experiment, week_of(run.started_utc)}).second) {
      keep(run, KeptFor::kWeekly);
    }
    if (age <= kKeptMonthly &&
        months.insert({run.experiment, run.started_utc.substr(0, kMonthDigits)}).second) {
      keep(run, KeptFor::kMonthly);
    }
  }
  return kept;
}

}  // namespace stepbench::track
