// SPDX-License-Identifier: Apache-2.0
// Which nights' programs are kept, so that a later night can be held against them: daily for two
// weeks, weekly for 90 days, monthly for a year; and as long as anybody may ask for them those that
// an open alert, a level or a bridge names. The levels of a branch (nightly@dev) that had no night
// for 90 days name nothing any more. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"
#include "harness/track/alert.h"
#include "harness/track/history.h"

namespace stepbench::track {

inline constexpr int kKeptDaily = 14;     // nights
inline constexpr int kKeptWeekly = 90;    // days
inline constexpr int kKeptMonthly = 365;  // days

enum class KeptFor : std::uint8_t {  // the first that fits; the last goes first where space is
                                     // short
  kNamed,
  kDaily,
  kWeekly,
  kMonthly
};
constexpr EnumNames<4> names_of(KeptFor) { return {"named", "daily", "weekly", "monthly"}; }

// By build id, of runs of this host. Of a week and of a month the first night's.
[[nodiscard]] std::map<std::string, KeptFor, std::less<>> programs_to_keep(
    std::span<const TrackedRun> runs, std::span<const TrackEvent> events, std::string_view host,
    std::string_view now_utc);

}  // namespace stepbench::track
