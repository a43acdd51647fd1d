// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/lives.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "harness/text/utc.h"
#include "harness/track/bridge.h"
#include "harness/track/confirm_rule.h"
#include "harness/track/night_cycle.h"

namespace stepbench::testing_track {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFirstNights = 10;
constexpr std::size_t kWatchedForFixed = 60;

std::string utc_of(std::size_t night) {
  return text::utc_text(*text::parse_utc("2026-01-01T02:00:00Z") + 24h * static_cast<int>(night));
}

double sum_until(const std::vector<Script::Change>& changes, std::size_t night) {
  double sum = 0;
  for (const Script::Change& change : changes) {
    if (change.night <= night) sum += std::log1p(change.by);
  }
  return sum;
}

class LivedSeries {
 public:
  LivedSeries(const Script& script, const World& world, std::uint64_t seed)
      : script_(script), machine_(world, seed) {
    machine_.begin();
    history_.cohorts = {{.id = "c1", .fields = {{"torch", std::string("2.10.0")}}},
                        {.id = "c2", .fields = {{"torch", std::string("2.11.0")}}}};
    history_.series.push_back({.series = {.id = "s",
                                          .experiment = "nightly",
                                          .workload = "w",
                                          .case_id = "c",
                                          .metric = "step_ns",
                                          .unit = "ns",
                                          .direction = Direction::kLowerIsBetter,
                                          .screened = true}});
  }

  Life live() {
    for (std::size_t night = 0; night < script_.nights; ++night) {
      if (script_.weekends && night % 7 >= 5) continue;
      if (machine_.unit() < script_.missing) continue;
      add(night);
      judge(night);
    }
    return life_;
  }

 private:
  void add(std::size_t night) {
    const double creep =
        script_.creep != 0 && night >= script_.creep_from
            ? std::log1p(script_.creep) * static_cast<double>(night - script_.creep_from + 1)
            : 0;
    programs_[run_id(night)] =
        sum_until(script_.program, night) + creep + machine_.offset_of_a_build();
    true_[night] = sum_until(script_.program, night) + creep;
    double level = programs_[run_id(night)] + sum_until(script_.machine, night);
    for (const Script::Change& spike : script_.spikes) {
      if (spike.night == night) level += std::log1p(spike.by);
    }
    history_.runs.push_back({.run_id = run_id(night),
                             .started_utc = utc_of(night),
                             .experiment = "nightly",
                             .host = "box",
                             .build_id = "b" + std::to_string(night),
                             .git_sha = "c" + std::to_string(night),
                             .plan_digest = "p"});
    const bool other = script_.environment > 0 && night >= script_.environment;
    const double value = machine_.night(level);
    history_.series[0].points.push_back({.run = history_.runs.size() - 1,
                                         .value = value,
                                         .low = value,
                                         .high = value,
                                         .launches = 8,
                                         .steps = 50,
                                         .cohort = other ? "c2" : "c1"});
  }

  static std::string run_id(std::size_t night) { return utc_of(night).substr(0, 10); }

  void judge(std::size_t night) {
    const std::string now = utc_of(night).substr(0, 10) + "T12:00:00Z";
    const std::string first = run_id(script_.first_kept);
    const track::NightInput input{
        .history = history_,
        .runs = history_.runs,
        .tonight = {run_id(night)},
        .events = {},
        .now_utc = now,
        .has_program = [&](const track::TrackedRun& run) { return run.run_id >= first; }};
    track::NightCycle cycle;
    cycle.measure = [&](std::span<const track::DueMeasurement> due) {
      std::vector<track::MeasuredSuspect> all;
      for (const track::DueMeasurement& one : due) all.push_back(measure(one, night));
      return all;
    };
    const track::Night judged = track::run_night(input, events_, cycle);
    ++life_.nights;
    if (night >= kFirstNights) ++life_.late_nights;
    if (judged.exit_code == 1) ++life_.red;
    if (judged.exit_code != 0) ++life_.not_green;
    say(night);
    look_for_it(judged, night);
  }

  track::MeasuredSuspect measure(const track::DueMeasurement& due, std::size_t night) {
    track::MeasuredSuspect suspect{.series = due.series, .alert = due.alert, .run = due.run};
    const auto good = programs_.find(due.against);
    if (good == programs_.end()) {
      suspect.why = "no program is kept";
      return suspect;
    }
    if (due.why == track::DueFor::kBridge) {
      take(suspect, due, few_pairs(due, good->second, track::kBridgePairs, night));
      return suspect;
    }
    track::ConfirmAnswer look = few_pairs(due, good->second, track::kLookPairs, night);
    if (track::is_over(look, due.higher)) {
      look.reproduced = false;
      take(suspect, due, look);
      return suspect;
    }
    for (int number = 1; number <= 2; ++number) {
      const SimulatedPairs drawn =
          pairs_of(good->second, programs_.at(due.run), track::kConfirmPairs, night);
      take(suspect, due, track::confirm(drawn.good, drawn.tonight, due.higher));
      if (!suspect.measured.back().reproduced) break;
    }
    return suspect;
  }

  SimulatedPairs pairs_of(double good, double tonight, std::size_t pairs, std::size_t night) {
    if (night >= kFirstNights) life_.launches += 2 * pairs;
    return machine_.campaign(good, tonight, pairs);
  }

  track::ConfirmAnswer few_pairs(const track::DueMeasurement& due, double good, std::size_t pairs,
                                 std::size_t night) {
    const SimulatedPairs drawn = pairs_of(good, programs_.at(due.run), pairs, night);
    return track::bridge_answer(drawn.good, drawn.tonight);
  }

  static void take(track::MeasuredSuspect& suspect, const track::DueMeasurement& due,
                   const track::ConfirmAnswer& answer) {
    suspect.measured.push_back({.reproduced = answer.reproduced,
                                .change = answer.change,
                                .low = answer.low,
                                .high = answer.high,
                                .p = answer.p,
                                .pairs = static_cast<std::int64_t>(answer.pairs),
                                .night = due.run,
                                .good = due.good,
                                .builds = build_of(due.against) + ' ' + build_of(due.run)});
  }

  static std::string build_of(const std::string& run) {
    return "b" + std::to_string(night_of_run(run));
  }

  // What people say in the morning.
  void say(std::size_t night) {
    if (script_.baseline > 0 && night == script_.baseline) {
      events_.push_back({.what = std::string(track::kBaselineEvent),
                         .details = {{"run", run_id(night)},
                                     {"experiment", std::string("nightly")},
                                     {"host", std::string("box")}}});
    }
    if (script_.accept == 0 || night < script_.accept || accepted_) return;
    for (const track::Alert& alert : track::fold_alerts(events_).alerts) {
      if (alert.state != track::AlertState::kRegression) continue;
      events_.push_back(track::event_of(track::AcceptedChange{}, alert.id, "wanted"));
      accepted_ = true;
    }
  }

  // Alerts that the night told.
  void look_for_it(const track::Night& judged, std::size_t night) {
    for (const track::Alert& alert : judged.alerts.alerts) {
      if (alert.told_utc.empty() || !alert.worse || !told_.insert(alert.id).second) continue;
      ++life_.told;
      const std::size_t from = night_of_run(alert.last_good);
      const std::size_t to = night_of_run(alert.first_bad);
      const bool holds = true_[to] - true_[from] > std::log1p(0.004);
      if (!holds) ++life_.told_false;
      if (life_.found_after > 0) continue;
      if (script_.creep != 0) {
        life_.found_after = night + 1 - script_.creep_from;
        life_.found_at = std::expm1(true_[night] - true_[script_.creep_from - 1]);
        life_.right_range = holds;
        continue;
      }
      if (script_.wanted >= script_.program.size()) continue;
      const std::size_t change = script_.program[script_.wanted].night;
      if (night < change) continue;
      life_.found_after = night + 1 - change;
      life_.right_range = from < change && change <= to;
      wanted_ = alert.id;
    }
    if (wanted_.empty()) return;
    const track::Alert* alert = judged.alerts.find(wanted_);
    if (alert == nullptr || alert->state != track::AlertState::kFixed) return;
    const std::size_t change = script_.program[script_.wanted].night;
    const bool there = true_[night] - true_before(change) > std::log1p(0.004);
    if (there && night < change + kWatchedForFixed) life_.wrongly_fixed = true;
    if (!there && life_.fixed_after == 0) {
      life_.fixed_after = night + 1 - script_.program.back().night;
    }
  }

  [[nodiscard]] double true_before(std::size_t night) const {
    const auto at = true_.lower_bound(night);
    return at == true_.begin() ? 0 : std::prev(at)->second;
  }

  [[nodiscard]] static std::size_t night_of_run(const std::string& run) {
    const auto at = text::parse_utc(run + "T02:00:00Z");
    return at ? static_cast<std::size_t>((*at - *text::parse_utc("2026-01-01T02:00:00Z")) / 24h)
              : 0;
  }

  const Script& script_;
  SimulatedMachine machine_;
  track::History history_ = {};
  std::vector<track::TrackEvent> events_ = {};
  std::map<std::string, double> programs_ = {};  // by run id: true level and layout
  std::map<std::size_t, double> true_ = {};      // by night: without layout
  std::set<std::string> told_ = {};
  std::string wanted_ = {};
  bool accepted_ = false;
  Life life_ = {};
};

}  // namespace

Life live(const Script& script, const World& world, std::uint64_t seed) {
  return LivedSeries(script, world, seed).live();
}

}  // namespace stepbench::testing_track
