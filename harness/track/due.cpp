// SPDX-License-Identifier: Apache-2.0
#include "harness/track/due.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/text/words.h"
#include "harness/track/level.h"
#include "harness/track/unusable_programs.h"

namespace stepbench::track {
namespace {

// Of a level, the oldest first: those that were measured nearest to that run.
std::vector<const TrackedRun*> nearest_first(const std::vector<const TrackedRun*>& level,
                                             const std::string& run_id) {
  auto later = std::find_if(level.begin(), level.end(),
                            [&](const TrackedRun* run) { return run->run_id == run_id; });
  if (later == level.end()) return level;
  auto earlier = later;
  std::vector<const TrackedRun*> near;
  while (near.size() < level.size()) {
    if (later != level.end()) near.push_back(*later++);
    if (earlier != level.begin()) near.push_back(*--earlier);
  }
  return near;
}

class DueTonight {
 public:
  DueTonight(const NightInput& input, const Night& night)
      : input_(input),
        night_(night),
        times_(run_times(input.runs)),
        facts_(level_facts(night.alerts, input.events, times_)),
        unusable_(input.events, input.runs, newest_utc(night)) {}

  std::vector<DueMeasurement> all() {
    for (const NightSeries& series : night_.series) {
      if (series.run.empty() || series.state == NightState::kIgnored ||
          series.state == NightState::kFutureDated) {
        continue;
      }
      const Alert* undecided = undecided_alert(series);
      if (undecided != nullptr) {
        add_suspicion(series, *undecided);
        continue;
      }
      for (const Alert& alert : night_.alerts.alerts) add_closing(series, alert);
      if (series.bridge_due) add_bridge(series);
    }
    return std::move(due_);
  }

 private:
  static std::string newest_utc(const Night& night) {
    std::string newest;
    for (const TrackedRun& run : night.runs) newest = std::max(newest, run.started_utc);
    return newest;
  }

  [[nodiscard]] const TrackedRun* run_named(const std::string& id) const {
    return find_run(input_.runs, id);
  }

  [[nodiscard]] const std::string& host() const { return night_.runs.front().host; }

  [[nodiscard]] const Alert* undecided_alert(const NightSeries& series) const {
    for (auto alert = night_.alerts.alerts.rbegin(); alert != night_.alerts.alerts.rend();
         ++alert) {
      const AlertSeries* known = alert->find(series.series.id);
      if (known == nullptr || alert->host != host() || !alert->is_undecided(*known)) continue;
      // In an alert that is decided for others it waits no longer than any suspicion.
      if (!is_pending(alert->state) && age_of(*alert, series) > kNightsToMeasure) continue;
      return &*alert;
    }
    return nullptr;
  }

  [[nodiscard]] std::size_t age_of(const Alert& alert, const NightSeries& series) const {
    return nights_since(input_, alert, alert.opened_utc, run_named(series.run)->started_utc);
  }

  static bool is_measured_tonight(const AlertSeries& known, const NightSeries& series) {
    return known.last() != nullptr && known.last()->night == series.run;
  }

  [[nodiscard]] DueMeasurement due_of(const NightSeries& series, DueFor why) const {
    return {.why = why,
            .run = series.run,
            .series = series.series.id,
            .case_id = series.series.case_id,
            .metric = series.series.metric,
            .direction = series.series.direction,
            .higher = series.higher,
            .steps = series.steps,
            .layout_sd = series.layout_sd > 0 ? series.layout_sd : kLayoutSd,
            .margin = series.margin};
  }

  void add_suspicion(const NightSeries& series, const Alert& alert) {
    const AlertSeries& known = *alert.find(series.series.id);
    if (is_measured_tonight(known, series)) return;
    DueMeasurement due = due_of(series, DueFor::kSuspicion);
    due.alert = alert.id;
    due.higher = known.higher();
    const bool first = known.measured.empty();
    const Programs programs = programs_for(series, known, false);
    due.against = programs.best;
    due.others = programs.count > 1;
    if (due.against.empty() && !first) return;  // nothing new could be learnt
    if (due.against.empty()) due.against = known.against.empty() ? known.last_good : known.against;
    due.good = known.against.empty() ? due.against : known.last_good;
    due_.push_back(std::move(due));
  }

  void add_closing(const NightSeries& series, const Alert& alert) {
    if (alert.state != AlertState::kRegression || alert.host != host()) return;
    const AlertSeries* known = alert.find(series.series.id);
    if (known == nullptr || !known->holds() || is_measured_tonight(*known, series)) return;
    if (!closing_is_due(series, alert, *known)) return;
    DueMeasurement due = due_of(series, DueFor::kClosing);
    due.alert = alert.id;
    due.higher = known->higher();
    due.against = programs_for(series, *known, true).best;
    if (due.against.empty()) {
      const TrackedRun* good = run_named(known->last_good);
      if (good != nullptr && unusable_.contain(series.series.id, *good)) return;
      due.against = known->last_good;
    }
    due.good = due.against;
    due_.push_back(std::move(due));
  }

  [[nodiscard]] bool closing_is_due(const NightSeries& series, const Alert& alert,
                                    const AlertSeries& known) const {
    const std::string& tonight = run_named(series.run)->started_utc;
    if (alert.told_utc.empty() || alert.told_utc >= tonight) return false;
    if (series.back && series.alert == alert.id) return true;
    std::size_t attempts = 0;
    const AlertMeasurement* last = nullptr;
    for (const AlertMeasurement& one : known.measured) {
      if (!one.closing) continue;
      if (last == nullptr || last->night != one.night) ++attempts;
      last = &one;
    }
    if (last != nullptr && !last->reproduced) return true;
    const std::size_t told = nights_since(input_, alert, alert.told_utc, tonight);
    if (attempts < kFirstAttempts) return told >= kNightsPerAttempt * (attempts + 1);
    const auto at = times_.find(last->night);
    return at == times_.end() ||
           nights_since(input_, alert, at->second, tonight) >= kNightsToLaterAttempts;
  }

  void add_bridge(const NightSeries& series) {
    DueMeasurement due = due_of(series, DueFor::kBridge);
    due.against = due.good = series.pin;
    due_.push_back(std::move(due));
  }

  // Run id of a good program with which this measurement says something new: another pair of
  // builds, of the good ones that which fewest measurements used, for a build that is fast by its
  // layout is so every time. The one that the range names, then the oldest of the level before it
  // and the others, the newest first; of what a kept program showed, the oldest first. Empty: there
  // is none.
  struct Programs {
    std::string best = {};
    std::size_t count = 0;  // builds
  };
  [[nodiscard]] Programs programs_for(const NightSeries& series, const AlertSeries& known,
                                      bool closing) const {
    const TrackedRun& tonight = *run_named(series.run);
    std::set<std::string> pairs;
    std::map<std::string, std::size_t> used;  // good builds
    for (const AlertMeasurement& one : known.measured) {
      if (one.closing == closing) pairs.insert(one.builds);
      ++used[one.builds.substr(0, one.builds.find(' '))];
    }
    const auto is_new = [&](const TrackedRun& run) {
      return !run.git_dirty && (run.build_id.empty() || run.build_id != tonight.build_id) &&
             !pairs.contains(run.build_id + ' ' + tonight.build_id) &&
             !unusable_.contain(series.series.id, run) &&
             (!input_.has_program || input_.has_program(run));
    };
    std::vector<const TrackedRun*> programs = level_before(series, known);
    if (known.against.empty() && known.last_good != known.suspected_good) {
      // It was there against an older one than the screen named. Neighbours of that: what creeps is
      // in all that are later, and how its own code lies is in no other.
      programs = nearest_first(programs, known.last_good);
      std::erase_if(programs, [&](const TrackedRun* run) { return !is_new(*run); });
      programs.resize(std::min(programs.size(), kMostToClose));
    } else if (known.against.empty() && !programs.empty()) {
      std::reverse(programs.begin(), programs.end());
      // After the newest the oldest: what crept in since it is in no pair of neighbours.
      if (!known.measured.empty()) {
        std::rotate(programs.begin(), std::prev(programs.end()), programs.end());
      }
    }
    const TrackedRun* first = run_named(known.against.empty() ? known.last_good : known.against);
    if (first != nullptr) programs.insert(programs.begin(), first);
    const TrackedRun* chosen = nullptr;
    std::set<std::string> builds;
    for (const TrackedRun* run : programs) {
      if (!is_new(*run)) continue;
      builds.insert(run->build_id);
      if (chosen == nullptr || used[run->build_id] < used[chosen->build_id]) chosen = run;
    }
    if (chosen == nullptr) return {};
    return {.best = chosen->run_id, .count = builds.size()};
  }

  // Of the level from which it moved, the oldest first.
  [[nodiscard]] std::vector<const TrackedRun*> level_before(const NightSeries& judged,
                                                            const AlertSeries& known) const {
    const SeriesHistory* series = input_.history.find_series(judged.series.id);
    const TrackedRun* bad = run_named(known.first_bad);
    const TrackedRun* good = run_named(known.suspected_good);
    std::vector<const TrackedRun*> before;
    if (series == nullptr || bad == nullptr) return before;
    for (std::size_t at = series->points.size(); at-- > 0;) {
      const TrackedRun& run = input_.history.runs.at(series->points[at].run);
      if (run.started_utc >= bad->started_utc) continue;
      const SeriesLevel level = level_of(*series, at, input_.history, facts_);
      for (const std::size_t i : level.points) {
        before.push_back(&input_.history.runs.at(series->points[i].run));
      }
      before.push_back(&run);
      break;
    }
    // Later than what is known to be good it may be bad.
    if (good != nullptr && known.against.empty()) {
      std::erase_if(before,
                    [&](const TrackedRun* run) { return run->started_utc > good->started_utc; });
    }
    return before;
  }

  const NightInput& input_;
  const Night& night_;
  RunTimes times_;
  LevelFacts facts_;
  UnusablePrograms unusable_;
  std::vector<DueMeasurement> due_;
};

std::string expiry_text(const Alert& alert) {
  const std::string nights = std::to_string(kNightsToMeasure) + " nights";
  switch (alert.state) {
    case AlertState::kDoubtful:
      return "it was not there when it was measured, and no other pair of programs could be "
             "measured in " +
             nights;
    case AlertState::kReproduced:
      return "it was there when it was measured, and no other pair of programs could be measured "
             "in " +
             nights + ": one is too little to tell it from how the code lies in memory";
    default:
      return "it could not be measured in " + nights;
  }
}

}  // namespace

std::size_t nights_since(const NightInput& input, const Alert& alert, std::string_view utc,
                         std::string_view tonight_utc) {
  constexpr std::size_t kDate = 10;
  std::set<std::string_view> dates;
  for (const TrackedRun& run : input.runs) {
    if (run.host != alert.host || run.experiment != alert.experiment) continue;
    if (run.started_utc <= utc || run.started_utc > tonight_utc) continue;
    dates.insert(std::string_view(run.started_utc).substr(0, kDate));
  }
  return dates.size();
}

std::vector<DueMeasurement> measurements_due(const NightInput& input, const Night& night) {
  if (night.runs.empty() || !night.is_newest) return {};
  return DueTonight(input, night).all();
}

std::vector<TrackEvent> expiring_events(const NightInput& input, const Night& night) {
  std::vector<TrackEvent> events;
  if (!night.is_newest) return events;
  for (const Alert& alert : night.alerts.alerts) {
    const auto run =
        std::find_if(night.runs.begin(), night.runs.end(), [&](const TrackedRun& each) {
          return each.experiment == alert.experiment && each.host == alert.host;
        });
    if (run == night.runs.end() || !is_pending(alert.state)) continue;
    std::string since = alert.opened_utc;
    bool moved = alert.state == AlertState::kReproduced;
    for (const AlertSeries& series : alert.series) {
      if (series.last() != nullptr) {
        const TrackedRun* at = find_run(input.runs, series.last()->night);
        if (at != nullptr) since = std::max(since, at->started_utc);
      }
      const auto judged =
          std::find_if(night.series.begin(), night.series.end(),
                       [&](const NightSeries& each) { return each.series.id == series.id; });
      moved = moved || (judged != night.series.end() && judged->fired);
    }
    if (nights_since(input, alert, since, run->started_utc) < kNightsToMeasure) continue;
    TrackEvent event =
        event_of(AlertEvent::kUnmeasured, alert.id, night_of(*run), expiry_text(alert));
    set_still_moved(event, moved);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace stepbench::track
