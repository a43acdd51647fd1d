// SPDX-License-Identifier: Apache-2.0
// One night's verdict: what each series did, what became of the alerts, and with which status a
// program that asked ends. Pure: the same history, events and options give the same answer, and
// judging a night once more after its events were recorded gives no new event. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/track/alert.h"
#include "harness/track/history.h"
#include "harness/track/screen.h"

namespace stepbench::track {

class ReferenceLog;

enum class NightState : std::uint8_t {  // written to disk by name
  kOk,
  kWarmingUp,  // its level has too few points before tonight
  kSuspect,    // from here on as AlertState
  kNotReproduced,
  kReproduced,
  kRegression,
  kImprovement,
  kEnvironmentChange,  // also: the first night of another environment, or the same program moved
  kAcknowledged,
  kFixed,
  kInvalid,
  kNoData,       // planned, and no value tonight
  kFutureDated,  // the night's date lies ahead: stored, not screened
  kIgnored,      // somebody asked not to look at it
  kDoubtful,     // as AlertState
  kUnmeasured
};
constexpr EnumNames<16> names_of(NightState) {
  return {"ok",           "warming-up", "suspect",     "not-reproduced",
          "reproduced",   "regression", "improvement", "environment-change",
          "acknowledged", "fixed",      "invalid",     "no-data",
          "future-dated", "ignored",    "doubtful",    "unmeasured"};
}
inline constexpr std::size_t kNightStates = 16;

struct NightSeries {
  TrackedSeries series = {};
  NightState state = NightState::kOk;
  bool fired = false;   // the screen, tonight
  bool higher = false;  // which way it moved; of an alert's series: the alert's way
  bool worse = false;
  bool by_ratio = false;  // judged by the ratio to the reference program
  bool bridged = false;   // held against the kept program tonight, which is why it is suspected
  bool back = false;      // it has an open alert, and moved the other way
  std::string run = {};   // tonight's, by id; empty: no value tonight
  std::optional<double> value = {};  // in the series' unit
  std::optional<double> usual = {};
  std::optional<double> change = {};  // value / usual - 1
  std::optional<double> score = {};   // of the screen
  // The change of value / control case, where there is one: what the machine did is out of it.
  std::optional<double> normalised_change = {};
  std::size_t points = 0;      // of its level, before tonight
  std::int64_t steps = 0;      // TrackedPoint::steps
  std::string first_bad = {};  // run ids between which it moved
  std::string last_good = {};
  std::string pin = {};     // run id of the program that stands for its level; empty: none is kept
  bool bridge_due = false;  // tonight's program is to be held against that one
  double layout_sd = 0;     // of builds that do the same, as far as it is known
  double margin = kTellMargin;  // the change that does not matter
  std::string alert = {};
  std::string why = {};  // a sentence
};

// A field of the environment that is not what it was in the night before.
struct CohortChange {
  std::string experiment = {};
  std::string field = {};
  std::string before = {};
  std::string tonight = {};
  std::size_t series = 0;
  std::size_t by_ratio = 0;  // of them: whose level goes on, by ratios to the reference program
};

// Of the alerts that were measured again: how many were there.
struct AlertPrecision {
  std::size_t confirmed = 0;
  std::size_t not_reproduced = 0;
};

struct Night {
  std::vector<TrackedRun> runs = {};     // tonight's, one of each experiment
  std::vector<NightSeries> series = {};  // in the order of the history
  std::vector<CohortChange> cohorts = {};
  AlertLog alerts = {};                 // with the new events
  std::vector<TrackEvent> events = {};  // new ones; `at_utc` and `who` are for the caller to set
  AlertPrecision precision = {};
  std::vector<std::string> absent = {};  // ids of open regressions that no series of tonight shows
  std::vector<std::string> notes = {};
  bool is_newest = true;  // false: a later night was judged already, nothing new is to be recorded
  NightState verdict = NightState::kOk;
  int exit_code = 0;
  bool only_known = false;  // no regression was told tonight: those that are open are older

  [[nodiscard]] std::size_t count(NightState state) const;
};

struct NightInput {
  // With points of this host alone; of series in alerts that are not closed all points, of others
  // the newest kLevelPoints at least.
  const History& history;
  std::span<const TrackedRun> runs;  // all that the history knows
  std::vector<std::string> tonight;  // ids of runs; see tonights_runs()
  std::span<const TrackEvent> events;
  ScreenOptions screen = {};
  std::string now_utc = {};
  bool allow_inconclusive = false;
  bool allow_known = false;  // regressions that were told in earlier nights do not fail this one
  // Whether the program of that run can be measured again here; empty: all can.
  std::function<bool(const TrackedRun&)> has_program = {};
  // What `events` say of references, where the caller has read it already; null: read here.
  const ReferenceLog* references = nullptr;
};
[[nodiscard]] Night judge_night(const NightInput& input);

// The newest run of each experiment of this host that stepbench measured, none older than 20 hours
// before the newest of them. A run whose date lies more than a day after `now_utc` counts only
// where its experiment has none of the last 20 hours.
[[nodiscard]] std::vector<std::string> tonights_runs(std::span<const TrackedRun> runs,
                                                     std::string_view host,
                                                     std::string_view now_utc);
[[nodiscard]] bool is_future(std::string_view started_utc, std::string_view now_utc);

// What measuring one series again came to.
struct MeasuredSuspect {
  std::string series = {};
  std::string alert = {};  // empty: a bridge
  std::string run = {};    // tonight's, by id
  // kEnvironmentChange, kInvalid: why it could not be judged; kSuspect: it was not measured. All
  // else follows from the measurements.
  AlertState state = AlertState::kSuspect;
  std::vector<AlertMeasurement> measured = {};
  std::string why = {};
  // Run id of the good night whose program could not be measured here, where another one may be.
  std::string unusable = {};
};
// The events that follow, alert by alert: of its series the most serious answer counts, and nothing
// clears an alert while one of its series is undecided. `tonight`: the runs of the night.
[[nodiscard]] std::vector<TrackEvent> events_of(std::span<const MeasuredSuspect> measured,
                                                const AlertLog& alerts,
                                                std::span<const TrackedRun> tonight);

[[nodiscard]] AlertPrecision precision_of(const AlertLog& alerts);

// What the night comes to, by its series; the most serious counts. `regressions`: false: as if none
// were open.
[[nodiscard]] NightState verdict_of(const Night& night, bool regressions = true);
// 0 ok, better, warming up, or measured and not told; 1 a regression; 3 a suspect that is worse and
// was not measured (0 with `allow_inconclusive`); 4 no data, a date in the future, an invalid
// measurement.
[[nodiscard]] int exit_code_of(NightState verdict, bool allow_inconclusive);

}  // namespace stepbench::track
