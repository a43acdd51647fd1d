// SPDX-License-Identifier: Apache-2.0
// A night as a value: what each series came to, the alerts, and how the program ends. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/alert.h"
#include "harness/nights/judge.h"
#include "harness/nights/pairs.h"
#include "harness/track/history.h"

namespace stepbench::nights {

struct NightSeries {
  track::TrackedSeries series = {};
  NightState state = NightState::kNoVerdict;
  Why why = Why::kMeasured;
  std::string run = {};                  // tonight's, by id; empty: no value tonight
  std::optional<double> value = {};      // in the series' unit
  std::optional<double> usual = {};      // value / (1 + change): what the level would take tonight
  std::optional<double> reference = {};  // the reference program's tonight
  // Of tonight's build against its level, and its bounds: shares, as measured (larger may be
  // better). `as_share`: of the step.
  std::optional<double> change = {};
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool as_share = false;
  bool worse = false;               // of `change`
  std::optional<Change> told = {};  // tonight, either way; its sizes: larger is worse
  bool grew = false;
  bool fixed = false;
  std::size_t pairs = 0;   // of tonight, that count
  std::size_t builds = 0;  // of the level
  double layout = 0;       // standard deviations: of a build, of a pair
  double spread = 0;
  bool noisy = false;  // a launch's CV is beyond kNoisyCv
  double margin = kMargin;
  std::string alert = {};  // open or accepted, or closed tonight
};

// What another environment did: the same reference program, the night before and tonight.
struct ReferenceMoved {
  std::string series = {};
  double change = 0;  // a share
};
struct EnvironmentChange {
  std::string experiment = {};
  std::string field = {};
  std::string before = {};
  std::string tonight = {};
};

struct NightExperiment {
  track::TrackedRun run = {};
  NightPairs pairs = {};  // without its series
  std::vector<EnvironmentChange> environment = {};
  std::vector<ReferenceMoved> reference_moved = {};  // where the environment changed
};

struct Night {
  std::vector<NightExperiment> experiments = {};
  std::vector<NightSeries> series = {};  // in the order of the history
  AlertLog alerts = {};                  // with tonight's events
  std::vector<std::string> told =
      {};  // ids of alerts that were told, grew or were reopened tonight
  std::vector<std::string> absent = {};  // ids of open alerts that no series of tonight shows
  std::vector<std::string> notes = {};
  bool is_newest = true;  // false: a later night was judged before, and nothing was recorded
  bool known = false;     // it was judged before: this is what was said then
  NightState verdict = NightState::kNoData;
  int exit_code = 4;

  [[nodiscard]] std::size_t count(NightState state) const;
};

struct ExitRules {
  bool allow_inconclusive = false;
  bool allow_known = false;  // alerts that were told in earlier nights do not fail this one
};
// The state of the night: the first that some series has of regression (or an alert is open),
// suspect, improvement, ok, no verdict; no data where nothing was judged.
[[nodiscard]] NightState verdict_of(const Night& night);
// 1 an alert is open; 4 nothing was judged; 3 something was left for lack of measurement (budget,
// signal); 0. The first that fits.
[[nodiscard]] int exit_code_of(const Night& night, const ExitRules& rules);

// Steps of judging, which a night that is shown again takes once more. A series of an alert that is
// open is a regression, one of an alert that is accepted or closed is none.
void show_alert(NightSeries& series, const AlertLog& alerts, const Night& night);
void add_absent(Night& night);
void end_of(Night& night, const ExitRules& rules);

struct NightInput {
  const track::History& history;                   // with tonight's points
  std::vector<std::string> tonight = {};           // ids of runs, one for each experiment
  std::span<const NightPairs> pairs = {};          // of those runs; a run without has values only
  std::span<const track::TrackEvent> events = {};  // of alerts and acts, all
  bool anew = false;  // it was judged before: what no event tells is no news
  std::string now_utc = {};
  ExitRules exit = {};
};
struct JudgedNight {
  Night night = {};
  std::vector<SeriesState> states = {};        // after it
  std::vector<track::TrackEvent> events = {};  // new ones; the caller sets `at_utc` and `who`
};
// `states`: by series id, before tonight, of this host and these experiments; without them a series
// begins. Judging is the caller's transaction: see night_store.h.
[[nodiscard]] JudgedNight judge_night(const NightInput& input,
                                      std::map<std::string, SeriesState> states);

// The newest run of each experiment of this host, none older than 20 hours before the newest.
[[nodiscard]] std::vector<std::string> tonights_runs(std::span<const track::TrackedRun> runs,
                                                     std::string_view host,
                                                     std::string_view now_utc);
[[nodiscard]] bool is_future(std::string_view started_utc, std::string_view now_utc);

}  // namespace stepbench::nights
