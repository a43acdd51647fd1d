// SPDX-License-Identifier: Apache-2.0
// The reference program: a kept program of an earlier night that is measured beside tonight's, in
// turns, every night. What the machine does to both is not in their ratio, so that a series is
// judged by ratios wherever both were measured; another environment moves both, and says what it
// did by what it did to the reference. Go's benchmark series do the same. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/alert.h"
#include "harness/track/screen.h"

namespace stepbench::track {

// TrackEvent::what, of no alert; one of each run that was measured beside a reference.
inline constexpr std::string_view kReferenceEvent = "reference";
// Fewer launches are not split into two halves: of three pairs there is a spread.
inline constexpr int kMinLaunchesToSplit = 6;

// Of one series in one night.
struct ReferenceRatio {
  std::string series = {};  // its id
  double moved = 0;         // log(tonight / reference), the mean over the pairs
  double error = 0;         // its standard error by the launches alone
  std::int64_t pairs = 0;
  double value = 0;  // the reference's median, in the series' unit
};

struct ReferenceNight {
  EventNight night = {};
  std::string run = {};    // the run whose program it is
  std::string build = {};  // of that program
  std::string why = {};    // a sentence: why series without a ratio have none
  std::vector<ReferenceRatio> ratios = {};
};
[[nodiscard]] TrackEvent event_of(const ReferenceNight& night);
[[nodiscard]] ReferenceNight reference_night(const TrackEvent& event);

// Pair i at index i; nothing where fewer than three have both values.
[[nodiscard]] std::optional<ReferenceRatio> reference_ratio(const std::string& series,
                                                            std::span<const double> tonight,
                                                            std::span<const double> reference);

// All that the events of a history say, by run and series.
class ReferenceLog {
 public:
  // Nights before `oldest_utc` are left out; empty: none is.
  explicit ReferenceLog(std::span<const TrackEvent> events, std::string_view oldest_utc = {});

  // Null: none was measured beside that run.
  [[nodiscard]] const ReferenceNight* of_run(std::string_view run) const;
  [[nodiscard]] const ReferenceRatio* find(std::string_view run, std::string_view series) const;

 private:
  struct Entry {
    ReferenceNight night;
    std::map<std::string_view, const ReferenceRatio*> by_series = {};
  };
  std::map<std::string, Entry, std::less<>> nights_;
};

// Whose program the experiment's next night is measured beside: the run of the last night's
// reference, as long as its program is there and gave ratios; else the newest clean run that lies
// in no alert that is open. Empty: there is none. `has_program` as in NightInput.
[[nodiscard]] std::string reference_run(std::span<const TrackedRun> runs,
                                        std::span<const TrackEvent> events, std::string_view host,
                                        std::string_view experiment,
                                        const std::function<bool(const TrackedRun&)>& has_program);

// Ratios of a level, as logarithms, to one program; oldest first, tonight's last.
struct RatioSegment {
  std::vector<double> moved = {};
  std::vector<double> errors = {};
  bool anchored = false;  // the reference is a program of this level: its own ratio is 0
};
// With less than kMinForScreen ratios: fires where tonight's lies further from the mean of the
// others than 1.5 times what launches and the layout of builds do; else the screen, `robust_z`
// with that as its spread.
[[nodiscard]] ScreenAnswer screen_ratios(const RatioSegment& segment, double layout_sd,
                                         ScreenKind kind = ScreenKind::kRobustZ);
// A level's newest week against its first one: what creeps shows in no single night. Fires beyond
// the margin, where there are two weeks.
[[nodiscard]] ScreenAnswer screen_drift(const RatioSegment& segment, double layout_sd,
                                        double margin = kTellMargin);

// How far builds that do the same differ by where their code lies, as a standard deviation: what
// the ratios of a level, in order of time, vary from one to the next beyond their launches, drawn
// towards kLayoutSd, which it is with fewer than ten.
[[nodiscard]] double layout_of(std::span<const double> moved, std::span<const double> errors);

}  // namespace stepbench::track
