// SPDX-License-Identifier: Apache-2.0
// Measurements of one experiment in one night: alternating launches of tonight's program and the
// reference, a kept program. Recorded as one event, from which nights can be rejudged. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/nights/internal/event.h"

namespace stepbench::nights {

inline constexpr std::size_t kPairs = 4;      // planned
inline constexpr std::size_t kMorePairs = 8;  // per further round, while the case looks odd
inline constexpr std::size_t kMaxPairs = 24;
inline constexpr std::size_t kMinPairs = 3;  // fewer usable pairs: no data

// Pairs of one series, in the order of measurement.
struct SeriesPairs {
  std::string series = {};  // its id
  // log(tonight / reference) or, with `as_share`, the excess of tonight's program as a share of the
  // reference's step. As measured: larger may be better.
  std::vector<double> pairs = {};
  std::size_t first = 0;  // number of pairs of the first look; the others are fresh
  bool as_share = false;
  double reference = 0;  // median of the reference program, in the series' unit
  std::string cause =
      {};  // explanation if it looks changed: "data_wait +2.1 ms, 62 % of the change"
  bool operator==(const SeriesPairs&) const = default;
};

// Computes the pairs of a series from the values of its launches; omits pairs with an absent value
// (NaN). `steps`: of the reference, ns. A metric that may be 0, or was below 2 % of the step when
// its reference was new, is judged as a share of the step.
struct MeasuredValues {
  std::span<const double> tonight = {};
  std::span<const double> reference = {};
  std::span<const double> steps = {};
  std::size_t first = 0;              // launches of the first look
  std::optional<bool> as_share = {};  // as before with this reference; nullopt: new reference
};
[[nodiscard]] SeriesPairs series_pairs(const std::string& series, const MeasuredValues& values);

// Reasons for too few pairs in a night, and for a series' state that its numbers do not show.
enum class NightReason : std::uint8_t {  // written to disk by name
  kMeasured,
  kNoReference,  // the first night, or no kept program: tonight's program becomes the reference
  kBaseline,     // requested by a user: tonight's program becomes the reference
  kReferenceMissing,  // its program no longer exists: tonight's becomes the reference
  kReferenceFails,    // it does not start, or fewer than three pairs are usable
  kTonightFails,
  kSameProgram,  // tonight's program is the reference
  kCannotStore,  // the program cannot be kept (e.g. a script with modules outside its folder)
  kBudget,       // the night's budget was used up
  kInterrupted,
  // Only for series.
  kFirstBuild,  // the first build measured with a reference
  kOneBuild,    // suspect: may be code layout; the next build decides
  kNoValue,     // planned, but no value tonight
  kValues,      // `track add`: values without pairs are shown, not judged
  kIgnored,     // excluded by a user
  kControl,     // the control case
  kFuture       // the night's date is in the future
};
constexpr EnumNames<17> names_of(NightReason) {
  return {"measured",      "no-reference", "baseline",    "reference-gone", "reference-fails",
          "tonight-fails", "same-program", "cannot-keep", "budget",         "interrupted",
          "young",         "one-build",    "no-value",    "values",         "ignored",
          "control",       "future"};
}

struct NightPairs {
  EventNight night = {};           // tonight's run, utc, host, experiment
  std::string build = {};          // digests of the programs
  std::string reference = {};      // after this night: tonight's if a new reference begins
  std::string reference_run = {};  // id of the run that the reference program is from
  std::string environment = {};    // Cohort::id
  NightReason why = NightReason::kMeasured;
  std::string reason = {};  // the failure, in the failing program's own words
  std::size_t judged = 0;   // number of series in the whole night: see error_of()
  // Ids of series that still looked changed when the budget or a signal ended their measurement.
  std::vector<std::string> unfinished = {};
  std::vector<std::string> notes = {};  // sentences: failures, differing results
  std::vector<SeriesPairs> series = {};

  // By id of the series; points into `series`.
  [[nodiscard]] std::map<std::string_view, const SeriesPairs*> by_series() const;
  // Another program becomes the reference from this night on.
  [[nodiscard]] bool begins_reference() const;
};

// TrackEvent::what of an event that is not about an alert; one per run that `nightly` measured.
inline constexpr std::string_view kPairsEvent = "pairs";
[[nodiscard]] TrackEvent event_of(const NightPairs& night);
// Also accepts a "reference" event, in which older versions stored a mean and its error.
[[nodiscard]] bool is_pairs_event(const TrackEvent& event);
[[nodiscard]] NightPairs night_pairs(const TrackEvent& event);

// The reference for an experiment's next night: `reference` of its last night, unless a baseline
// was set since. Empty: tonight's program becomes the reference.
struct StoredReference {
  std::string build = {};
  std::string run = {};
  int failed_nights = 0;  // consecutive, up to the last night; it is replaced after two
  NightReason why = NightReason::kMeasured;  // if `build` is empty
  // From the last night.
  std::string environment = {};
  std::vector<std::string> unfinished = {};
};

// Pairs in a history: one text, so that the state of hundreds of series is read quickly.

// Rounds to the stored precision, so that a pair is unchanged when read back.
[[nodiscard]] double rounded_pair(double pair);
[[nodiscard]] std::string pairs_text(const std::vector<double>& pairs);
// Throws json::LineError.
[[nodiscard]] std::vector<double> pairs_of_text(std::string_view text);

}  // namespace stepbench::nights
