// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/lives.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <span>

#include "harness/text/utc.h"
#include "harness/track/bridge.h"
#include "harness/track/confirm_rule.h"
#include "harness/track/night_cycle.h"
#include "harness/track/reference.h"

namespace stepbench::testing_track {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFirstNights = 10;
constexpr std::size_t kPlannedPairs = 4;  // 8 planned launches
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

// One machine: its own nights and history.
struct Host {
  std::string name;
  SimulatedMachine machine;
  track::History history = {};
};

class LivedSeries {
 public:
  LivedSeries(const Script& script, const World& world, std::uint64_t seed)
      : script_(script), random_(world, seed) {
    for (std::size_t i = 0; i < script.hosts; ++i) {
      Host& host =
          hosts_.emplace_back(Host{.name = i == 0 ? "box" : "box" + std::to_string(i + 1),
                                   .machine = SimulatedMachine(world, seed + i * 1'000'003)});
      host.machine.begin();
      host.history.cohorts = {{.id = "c1", .fields = {{"torch", std::string("2.10.0")}}},
                              {.id = "c2", .fields = {{"torch", std::string("2.11.0")}}}};
      host.history.series.push_back({.series = {.id = "s",
                                                .experiment = "nightly",
                                                .workload = "w",
                                                .case_id = "c",
                                                .metric = "step_ns",
                                                .unit = "ns",
                                                .direction = Direction::kLowerIsBetter,
                                                .screened = true}});
    }
  }

  Life live() {
    for (std::size_t night = 0; night < script_.nights; ++night) {
      build(night);
      if (script_.weekends && night % 7 >= 5) continue;
      if (random_.unit() < script_.missing) continue;
      const bool failed = night >= kFirstNights && random_.unit() < script_.failed;
      for (Host& host : hosts_) {
        add(host, night, failed);
        judge(host, night, failed);
      }
      say(night);
    }
    return life_;
  }

 private:
  [[nodiscard]] bool is_first(const Host& host) const { return &host == hosts_.data(); }

  // Of every night, also of those that nobody measures.
  void build(std::size_t night) {
    const double creep =
        script_.creep != 0 && night >= script_.creep_from
            ? std::log1p(script_.creep) * static_cast<double>(night - script_.creep_from + 1)
            : 0;
    true_.push_back(sum_until(script_.program, night) + creep);
    const bool same =
        night > 0 && true_[night] == true_[night - 1] && random_.unit() < script_.unchanged;
    builds_.push_back(same ? builds_[night - 1] : night);
    programs_.push_back(same ? programs_[night - 1] : true_[night] + random_.offset_of_a_build());
  }

  void add(Host& host, std::size_t night, bool failed) {
    double level = programs_[night] + sum_until(script_.machine, night);
    for (const Script::Change& spike : script_.spikes) {
      if (spike.night == night) level += std::log1p(spike.by);
    }
    host.history.runs.push_back({.run_id = run_id(host, night),
                                 .started_utc = utc_of(night),
                                 .experiment = "nightly",
                                 .host = host.name,
                                 .build_id = build_of(night),
                                 .git_sha = "c" + std::to_string(builds_[night]),
                                 .plan_digest = "p"});
    const bool other = script_.environment > 0 && night >= script_.environment;
    const double value = failed ? std::nan("") : host.machine.night(level);
    host.history.series[0].points.push_back({.run = host.history.runs.size() - 1,
                                             .value = value,
                                             .low = value,
                                             .high = value,
                                             .launches = 8,
                                             .steps = 50,
                                             .cohort = other ? "c2" : "c1"});
  }

  static std::string run_id(const Host& host, std::size_t night) {
    const std::string date = utc_of(night).substr(0, 10);
    return host.name == "box" ? date : date + '@' + host.name;
  }

  [[nodiscard]] std::string build_of(std::size_t night) const {
    return "b" + std::to_string(builds_[night]);
  }

  [[nodiscard]] bool is_kept(const track::TrackedRun& run) const {
    return night_of_run(run.run_id) >= script_.first_kept;
  }

  // The planned launches, half of each program, in turns.
  void measure_beside_reference(Host& host, std::size_t night) {
    const std::string of = track::reference_run(
        std::span(host.history.runs).first(host.history.runs.size() - 1), events_, host.name,
        "nightly", [&](const track::TrackedRun& run) { return is_kept(run); });
    if (of.empty() || builds_[night_of_run(of)] == builds_[night]) return;
    double tonight = programs_[night];
    for (const Script::Change& spike : script_.spikes) {
      if (spike.night == night) tonight += std::log1p(spike.by);
    }
    const SimulatedPairs drawn =
        host.machine.campaign(programs_[night_of_run(of)], tonight, kPlannedPairs);
    const auto ratio = track::reference_ratio("s", drawn.tonight, drawn.good);
    if (!ratio) return;
    events_.push_back(
        track::event_of(track::ReferenceNight{.night = track::night_of(host.history.runs.back()),
                                              .run = of,
                                              .build = build_of(night_of_run(of)),
                                              .ratios = {*ratio}}));
  }

  void judge(Host& host, std::size_t night, bool failed) {
    if (script_.nightly && !failed) measure_beside_reference(host, night);
    const std::string now = utc_of(night).substr(0, 10) + "T12:00:00Z";
    const track::NightInput input{
        .history = host.history,
        .runs = host.history.runs,
        .tonight = {run_id(host, night)},
        .events = {},
        .now_utc = now,
        .has_program = [&](const track::TrackedRun& run) { return is_kept(run); }};
    track::NightCycle cycle;
    cycle.measure = [&](std::span<const track::DueMeasurement> due) {
      std::vector<track::MeasuredSuspect> all;
      for (const track::DueMeasurement& one : due) all.push_back(measure(host, one, night));
      return all;
    };
    const track::Night judged = track::run_night(input, events_, cycle);
    if (!is_first(host)) return;
    ++life_.nights;
    if (night >= kFirstNights) ++life_.late_nights;
    if (judged.exit_code == 1) ++life_.red;
    if (!failed) {
      if (judged.exit_code != 0 && was_green_) ++life_.newly_not_green;
      was_green_ = judged.exit_code == 0;
    }
    look_for_it(judged, night);
  }

  track::MeasuredSuspect measure(Host& host, const track::DueMeasurement& due, std::size_t night) {
    track::MeasuredSuspect suspect{.series = due.series, .alert = due.alert, .run = due.run};
    if (due.against.empty()) {
      suspect.why = "no program is kept";
      return suspect;
    }
    const double good = programs_[night_of_run(due.against)];
    if (due.why == track::DueFor::kBridge) {
      const SimulatedPairs drawn =
          host.machine.campaign(good, programs_[night], track::kBridgePairs);
      spend(host, night, track::kBridgePairs);
      take(suspect, due, build_of(night),
           track::bridge_answer(drawn.good, drawn.tonight, due.layout_sd));
      return suspect;
    }
    for (int number = 1; number <= 2; ++number) {
      const bool relinked = number == 2 && script_.relinked;
      const double tonight =
          relinked ? true_[night] + random_.offset_of_a_build() : programs_[night];
      const SimulatedPairs drawn = host.machine.campaign(good, tonight, track::kConfirmPairs);
      for (const std::size_t look : track::kLooks) {
        const bool last = look == track::kConfirmPairs;
        track::ConfirmAnswer answer =
            last ? track::confirm(drawn.good, drawn.tonight, due.higher)
                 : track::look_answer(std::span(drawn.good).first(look),
                                      std::span(drawn.tonight).first(look));
        if (!last && !track::is_over(answer, due.higher)) continue;
        spend(host, night, look);
        take(suspect, due, build_of(night) + (relinked ? "-relinked" : ""), answer);
        break;
      }
      if (!suspect.measured.back().reproduced) break;
    }
    return suspect;
  }

  void spend(const Host& host, std::size_t night, std::size_t pairs) {
    if (is_first(host) && night >= kFirstNights) life_.launches += 2 * pairs;
  }

  void take(track::MeasuredSuspect& suspect, const track::DueMeasurement& due,
            const std::string& tonight, const track::ConfirmAnswer& answer) const {
    suspect.measured.push_back({.reproduced = answer.reproduced,
                                .change = answer.change,
                                .low = answer.low,
                                .high = answer.high,
                                .p = answer.p,
                                .pairs = static_cast<std::int64_t>(answer.pairs),
                                .night = due.run,
                                .good = due.good,
                                .builds = build_of(night_of_run(due.against)) + ' ' + tonight,
                                .layout = due.layout_sd,
                                .margin = due.margin});
  }

  // What people say in the morning.
  void say(std::size_t night) {
    if (script_.baseline > 0 && night == script_.baseline) {
      events_.push_back({.what = std::string(track::kBaselineEvent),
                         .details = {{"run", run_id(hosts_[0], night)},
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
    for (const track::NightSeries& series : judged.series) {
      const track::Alert* alert = judged.alerts.find(series.alert);
      if (alert != nullptr && alert->host != "box") ++life_.of_others;
    }
    for (const track::Alert& alert : judged.alerts.alerts) {
      if (alert.host != "box" || alert.told_utc.empty() || !alert.worse) continue;
      if (!told_.insert(alert.id).second) continue;
      ++life_.told;
      const std::size_t from = night_of_run(alert.last_good);
      const std::size_t to = night_of_run(alert.first_bad);
      const bool holds = true_[to] - true_[from] > std::log1p(0.004);
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
      life_.found_after = ran_since(change);
      life_.right_range = from < change && change <= to;
      wanted_ = alert.id;
    }
    if (wanted_.empty()) return;
    const track::Alert* alert = judged.alerts.find(wanted_);
    if (alert == nullptr || alert->state != track::AlertState::kFixed) return;
    const std::size_t change = script_.program[script_.wanted].night;
    const bool there = true_[night] - true_[change - 1] > std::log1p(0.004);
    if (there && night < change + kWatchedForFixed) life_.wrongly_fixed = true;
  }

  // Nights with a run, that of the change is 1: the others can tell nothing.
  [[nodiscard]] std::size_t ran_since(std::size_t night) const {
    const auto& runs = hosts_[0].history.runs;
    return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const auto& run) {
      return night_of_run(run.run_id) >= night;
    }));
  }

  [[nodiscard]] static std::size_t night_of_run(const std::string& run) {
    const auto at = text::parse_utc(run.substr(0, 10) + "T02:00:00Z");
    return at ? static_cast<std::size_t>((*at - *text::parse_utc("2026-01-01T02:00:00Z")) / 24h)
              : 0;
  }

  const Script& script_;
  SimulatedMachine random_;  // what is no machine's
  std::vector<Host> hosts_ = {};
  std::vector<track::TrackEvent> events_ = {};
  std::vector<double> true_ = {};         // by night: without layout
  std::vector<std::size_t> builds_ = {};  // by night: the night that built it
  std::vector<double> programs_ = {};     // by night: true level and layout
  std::set<std::string> told_ = {};
  std::string wanted_ = {};
  bool accepted_ = false;
  bool was_green_ = true;
  Life life_ = {};
};

}  // namespace

Life live(const Script& script, const World& world, std::uint64_t seed) {
  return LivedSeries(script, world, seed).live();
}

}  // namespace stepbench::testing_track
