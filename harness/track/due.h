// SPDX-License-Identifier: Apache-2.0
// Which measurements a night owes: every suspicion that is not decided, attempts to close open
// regressions, bridges of levels whose points say too little; and which suspicions expire because
// nothing could decide them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/night.h"

namespace stepbench::track {

enum class DueFor : std::uint8_t {
  kSuspicion,
  kClosing,  // is an open regression there still?
  kBridge
};

struct DueMeasurement {
  DueFor why = DueFor::kSuspicion;
  std::string run = {};      // tonight's
  std::string against = {};  // run id whose program is measured; empty: there is none
  // Run id of the newest night that is good if the measurement finds something: where the range of
  // commits begins. `against`, or a later one.
  std::string good = {};
  std::string alert = {};  // empty: a bridge
  std::string series = {};
  std::string case_id = {};
  std::string metric = {};
  Direction direction = Direction::kNeither;
  bool higher = true;  // which way it is suspected to have moved
  std::int64_t steps = 0;
  double layout_sd = kLayoutSd;  // of the series' builds
  double margin = kTellMargin;   // the change of it that does not matter
  bool others = true;            // false: no other kept program could answer it
};

// Attempts to close a regression: so many nights after it was told, and then every week. After one
// that did not find it, the next night.
inline constexpr std::size_t kFirstAttempts = 3;  // at 2, 4 and 6 nights
inline constexpr std::size_t kNightsPerAttempt = 2;
inline constexpr std::size_t kNightsToLaterAttempts = 7;

// `night`: judged, with all events that are recorded. A series that was measured tonight is not due
// again.
[[nodiscard]] std::vector<DueMeasurement> measurements_due(const NightInput& input,
                                                           const Night& night);

// After what was due was measured: suspicions that nothing decided for kNightsToMeasure nights.
[[nodiscard]] std::vector<TrackEvent> expiring_events(const NightInput& input, const Night& night);

// Nights of the alert's experiment and host after `utc`, tonight among them.
[[nodiscard]] std::size_t nights_since(const NightInput& input, const Alert& alert,
                                       std::string_view utc, std::string_view tonight_utc);

}  // namespace stepbench::track
