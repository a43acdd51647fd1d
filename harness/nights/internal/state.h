// SPDX-License-Identifier: Apache-2.0
// State that a series carries from night to night: builds, each compared with the reference, and
// the levels they form. Plain data; any thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench::nights {

enum class Level : std::uint8_t {  // written to disk by name
  kNone,                           // used only to estimate noise and layout
  kNow,
  kBefore  // the level before the change of an open alert, or before a gain of one build so far
};
constexpr EnumNames<3> names_of(Level) { return {"none", "now", "before"}; }

// A build against the reference; all its nights share a row. The reference has no pairs.
struct BuildRow {
  std::string build = {};  // digest of the program
  // Run ids of the first and last night of its latest consecutive measurements.
  std::string first_run = {};
  std::string last_run = {};
  Level level = Level::kNow;
  int night = 0;                   // last night, counted from the reference's first
  double centre = 0;               // centre of its pairs; larger is worse
  double spread = 0;               // standard deviation of its pairs
  std::size_t count = 0;           // number of pairs
  std::vector<double> pairs = {};  // the newest 24; empty if only the centre still matters
  bool operator==(const BuildRow&) const = default;
};

// A reported change. Sizes are log ratios, or shares of the step; larger is worse.
struct Change {
  double size = 0;
  double low = 0;  // each bound errs with probability kError
  double high = 0;
  std::string good = {};  // run ids: the change is after `good` and not after `bad`
  std::string bad = {};
  std::string likely = {};  // first night of the likeliest build
  bool operator==(const Change&) const = default;
};

// Converts a size (log ratio or share of the step) into a relative change, .03 for 3 %.
[[nodiscard]] inline double relative_change(double size, bool as_share) {
  return as_share ? size : std::expm1(size);
}

struct OpenChange {
  std::string alert = {};       // "A17"
  double size = 0;              // sum of all reported parts
  bool can_be_measured = true;  // false: a new reference began since
  bool operator==(const OpenChange&) const = default;
};

// State after the night `run`.
struct SeriesState {
  std::string series = {};
  std::string run = {};
  std::string run_utc = {};
  std::string reference = {};  // digest of the program that all rows are relative to
  std::string reference_run = {};
  std::string environment = {};
  double reference_value = 0;  // median of the reference in that night, in the series' unit
  bool as_share = false;
  int nights = 0;                   // number of nights with this reference
  std::vector<BuildRow> rows = {};  // sorted by last measurement
  std::optional<OpenChange> open = {};
  bool operator==(const SeriesState&) const = default;
};
// All rows as one text, because a history writes dozens of them per series every night.
[[nodiscard]] std::string rows_text(const std::vector<BuildRow>& rows);
// Throws json::LineError.
[[nodiscard]] std::vector<BuildRow> rows_of_text(std::string_view text);

using SeriesStates = std::map<std::string, SeriesState>;  // by series id

}  // namespace stepbench::nights
