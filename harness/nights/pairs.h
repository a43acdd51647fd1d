// SPDX-License-Identifier: Apache-2.0
// What one night measured of one experiment: launches of tonight's program and of the reference, a
// kept program, in turns. Recorded as one event, from which nights can be judged anew. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/track/event.h"

namespace stepbench::nights {

inline constexpr std::size_t kPairs = 4;      // planned
inline constexpr std::size_t kMorePairs = 8;  // again, as long as a series of the case looks odd
inline constexpr std::size_t kMostPairs = 24;
inline constexpr std::size_t kLeastPairs = 3;  // fewer that are usable: no data

// Of one series, in the order in which they were measured.
struct SeriesPairs {
  std::string series = {};  // its id
  // log(tonight / reference); of `as_share` what tonight's takes more, as a share of the
  // reference's step. As measured: larger may be better.
  std::vector<double> pairs = {};
  std::size_t first = 0;  // of them belong to the first look; the others are fresh ones
  bool as_share = false;
  double reference = 0;  // the median of the reference program, in the series' unit
  std::string cause =
      {};  // what explains that it looks odd: "data_wait +2.1 ms, 62 % of the change"
  bool operator==(const SeriesPairs&) const = default;
};

// Pair i of a series from the values of its launches; a pair with a value that is absent (NaN) is
// left out. `steps`: of the reference, ns. What may be 0, or was below 2 % of the step when its
// reference was new, is judged as a share of it.
struct MeasuredValues {
  std::span<const double> tonight = {};
  std::span<const double> reference = {};
  std::span<const double> steps = {};
  std::size_t first = 0;              // launches of the first look
  std::optional<bool> as_share = {};  // as it was with this reference; nothing: it is new
};
[[nodiscard]] SeriesPairs series_pairs(const std::string& series, const MeasuredValues& values);

// Why a night has no pairs, or not all that it should; and why a series has its state, where the
// numbers do not say it.
enum class Why : std::uint8_t {  // written to disk by name
  kMeasured,
  kNoReference,     // the first night, or nothing is kept: tonight's program is the reference
  kBaseline,        // a person asked for it: tonight's program is the reference
  kReferenceGone,   // its program is no longer there: tonight's is the reference
  kReferenceFails,  // it does not start, or fewer than three pairs are usable
  kTonightFails,
  kSameProgram,  // tonight's program is the reference
  kCannotKeep,   // the program cannot be kept (a script with modules outside its folder)
  kBudget,       // the budget of the night left it
  kInterrupted,
  // Of a series alone.
  kYoung,     // the first build beside a reference
  kOneBuild,  // suspect: it may be layout; the next build tells
  kNoValue,   // planned, and no value tonight
  kValues,    // `track add`: values without pairs are shown, not judged
  kIgnored,   // somebody asked not to judge it
  kControl,   // of the control case
  kFuture     // the night's date lies ahead
};
constexpr EnumNames<17> names_of(Why) {
  return {"measured",      "no-reference", "baseline",    "reference-gone", "reference-fails",
          "tonight-fails", "same-program", "cannot-keep", "budget",         "interrupted",
          "young",         "one-build",    "no-value",    "values",         "ignored",
          "control",       "future"};
}

struct NightPairs {
  track::EventNight night = {};    // run, utc, host, experiment: tonight's
  std::string build = {};          // digests of the programs
  std::string reference = {};      // after this night: tonight's where a new one begins
  std::string reference_run = {};  // id of the run whose program it is
  std::string environment = {};    // track::Cohort::id
  Why why = Why::kMeasured;
  std::string reason = {};  // what failed, in the words of the program that failed
  std::size_t judged = 0;   // series of the night, in all its experiments: see error_of()
  // Ids of series that still looked odd when the budget, or a signal, ended their measurement.
  std::vector<std::string> unfinished = {};
  std::vector<std::string> notes = {};  // sentences: launches that failed, programs that answer
                                        // differently
  std::vector<SeriesPairs> series = {};

  [[nodiscard]] const SeriesPairs* find(std::string_view id) const;
  // From this night on another program is the reference.
  [[nodiscard]] bool begins_reference() const;
};

// TrackEvent::what, of no alert; one for each run that `nightly` measured.
inline constexpr std::string_view kPairsEvent = "pairs";
[[nodiscard]] track::TrackEvent event_of(const NightPairs& night);
// Also a "reference" event, in which older versions kept a mean and its error.
[[nodiscard]] bool is_pairs_event(const track::TrackEvent& event);
[[nodiscard]] NightPairs night_pairs(const track::TrackEvent& event);

// What the next night of an experiment is measured beside: `reference` of its last night, unless a
// baseline was set since. Empty: tonight's program becomes it.
struct KeptReference {
  std::string build = {};
  std::string run = {};
  int failed_nights = 0;     // in a row, the last ones: two replace it
  Why why = Why::kMeasured;  // of an empty one
  // Of the last night.
  std::string environment = {};
  std::vector<std::string> unfinished = {};
};

}  // namespace stepbench::nights
