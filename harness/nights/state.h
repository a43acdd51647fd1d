// SPDX-License-Identifier: Apache-2.0
// What a series carries from night to night: builds, each held against the reference, and the
// levels that they make. Plain data; any thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench::nights {

enum class Level : std::uint8_t {  // written to disk by name
  kNone,                           // it tells of noise and layout only
  kNow,
  kBefore  // the level before what an open alert told
};
constexpr EnumNames<3> names_of(Level) { return {"none", "now", "before"}; }

// A build, held against the reference: its nights add pairs to one row. The reference itself is a
// row without pairs.
struct BuildRow {
  std::string build = {};      // digest of the program
  std::string first_run = {};  // run ids of the nights that measured it, the last time in a row
  std::string last_run = {};
  Level level = Level::kNow;
  int night = 0;                   // the last one, counted from the reference's first
  double centre = 0;               // of its pairs: larger is worse
  std::size_t count = 0;           // of them
  std::vector<double> pairs = {};  // the newest 24; none where only the centre still matters
  bool operator==(const BuildRow&) const = default;
};

// What was told. Sizes are log ratios, or shares of the step, larger is worse.
struct Change {
  double size = 0;
  double low = 0;  // each bound errs with probability kError
  double high = 0;
  std::string good = {};  // run ids: it came after the one, with the other at the latest
  std::string bad = {};
  std::string likely = {};  // the first night of the likeliest build
  bool operator==(const Change&) const = default;
};

// Of a size, log ratio or share of the step: the change as people read it, .03 for 3 %.
[[nodiscard]] inline double relative_change(double size, bool as_share) {
  return as_share ? size : std::expm1(size);
}

struct OpenChange {
  std::string alert = {};       // "A17"
  double size = 0;              // all that was told of it
  bool can_be_measured = true;  // false: another reference began, the level before is out of reach
  bool operator==(const OpenChange&) const = default;
};

// After the night `run`.
struct SeriesState {
  std::string series = {};
  std::string run = {};
  std::string run_utc = {};
  std::string reference = {};  // digest of the program that all rows are held against
  std::string reference_run = {};
  std::string environment = {};
  double reference_value = 0;  // its median in that night, in the series' unit
  bool as_share = false;
  int nights = 0;                   // with this reference
  std::vector<BuildRow> rows = {};  // by when they were measured last
  std::optional<OpenChange> open = {};
  bool operator==(const SeriesState&) const = default;
};

}  // namespace stepbench::nights
