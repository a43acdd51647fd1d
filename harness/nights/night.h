// SPDX-License-Identifier: Apache-2.0
// A night as a value: the result of each series, the alerts, and the exit code. Pure; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/alert.h"
#include "harness/nights/internal/judge.h"
#include "harness/nights/internal/pairs.h"

namespace stepbench::nights {

struct NightSeries {
  TrackedSeries series = {};
  NightState state = NightState::kNoVerdict;
  NightReason why = NightReason::kMeasured;
  std::string run = {};                  // tonight's run id; empty: no value tonight
  std::optional<double> value = {};      // in the series' unit
  std::optional<double> usual = {};      // value / (1 + change): expected at its level tonight
  std::optional<double> reference = {};  // value of the reference program tonight
  // Tonight's build relative to its level, with bounds: shares, as measured (larger may be better).
  // `as_share`: shares of the step.
  std::optional<double> change = {};
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool as_share = false;
  bool worse = false;  // `change` is for the worse
  std::optional<Change> reported =
      {};  // reported tonight, in either direction; sizes: larger is worse
  bool grew = false;
  bool fixed = false;
  std::size_t pairs = 0;   // tonight's, number used
  std::size_t builds = 0;  // number in the level
  double layout = 0;       // standard deviation of a build; `spread` is that of a pair
  double spread = 0;
  bool noisy = false;  // a launch's CV is above kNoisyCv
  double margin = kMargin;
  std::string alert = {};  // open or accepted, or closed tonight
};

// Effect of a changed environment: the same reference program in the night before and tonight.
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
  TrackedRun run = {};
  NightPairs pairs = {};  // its `series` is empty
  std::vector<EnvironmentChange> environment = {};
  std::vector<ReferenceMoved> reference_moved = {};  // only if the environment changed
};

struct Night {
  std::vector<NightExperiment> experiments = {};
  std::vector<NightSeries> series = {};  // in the order of the history
  AlertLog alerts = {};                  // including tonight's events
  std::vector<std::string> reported =
      {};  // ids of alerts that were reported, grew or were reopened tonight
  std::vector<std::string> absent = {};  // ids of open alerts without a series tonight
  std::vector<std::string> notes = {};
  bool is_newest = true;  // false: a later night was judged already, and nothing was recorded
  bool known = false;     // judged before: this is the earlier result
  NightState verdict = NightState::kNoData;
  int exit_code = 4;

  [[nodiscard]] std::size_t count(NightState state) const;
};

struct ExitRules {
  bool allow_inconclusive = false;
  bool allow_known = false;  // alerts reported in earlier nights do not fail this one
};
// Returns the first state that applies: regression (or an alert is open), suspect, improvement, ok,
// no verdict; no data if nothing was judged.
[[nodiscard]] NightState verdict_of(const Night& night);
// Returns the first that applies: 1 an alert is open; 4 nothing was judged; 3 measurement was
// incomplete (budget, signal); 0.
[[nodiscard]] int exit_code_of(const Night& night, const ExitRules& rules);

// Steps of judging that are repeated when a night is shown again. A series with an open alert is a
// regression; one with an accepted or closed alert is not.
void show_alert(NightSeries& series, const AlertLog& alerts, const Night& night);
void add_absent(Night& night);
void end_of(Night& night, const ExitRules& rules);

// Runs that begin later than this after the first one belong to another night.
inline constexpr std::chrono::hours kNightLasts{20};
// Newest run of each experiment of this host, none older than kNightLasts before the newest.
[[nodiscard]] std::vector<std::string> tonights_runs(std::span<const TrackedRun> runs,
                                                     std::string_view host,
                                                     std::string_view now_utc);
[[nodiscard]] bool is_future(std::string_view started_utc, std::string_view now_utc);

// Whether a history has the nights that it should have by now.

// The 24 hours up to a time of day.
struct ExpectedWithin {
  std::string from_utc = {};
  std::string by_utc = {};
};
// Up to the last occurrence of `by` ("08:00", UTC). Throws ConfigError with --expect-by.
[[nodiscard]] ExpectedWithin expected_within(std::string_view by,
                                             std::chrono::system_clock::time_point now);

// One sentence per experiment: when its newest night on this host began, or that there is none.
struct ExpectedNights {
  std::vector<std::string> there = {};
  std::vector<std::string> missing = {};
};
// `experiments`: names in the history.
[[nodiscard]] ExpectedNights expected_nights(std::span<const std::string> experiments,
                                             std::span<const TrackedRun> runs,
                                             std::string_view host, const ExpectedWithin& within);

}  // namespace stepbench::nights
