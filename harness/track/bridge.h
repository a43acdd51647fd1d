// SPDX-License-Identifier: Apache-2.0
// Bridges: tonight's program held against the kept program that stands for its level, in a few
// pairs of launches. Where a level is young the points say nothing, and the programs do; what
// creeps shows in no night, and against a program that was kept for weeks it does. What a bridge
// sees is a suspicion and is measured like any other. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/alert_events.h"
#include "harness/track/confirm_rule.h"

namespace stepbench::track {

inline constexpr std::size_t kBridgePairs = 4;
// A suspicion is looked at after so many pairs: most are over with the first.
inline constexpr std::array<std::size_t, 3> kLooks = {6, 12, kConfirmPairs};
inline constexpr int kBridgeDays = 7;  // from one to the next of a level that has its points
inline constexpr double kBridgeSpreads = 1.5;

struct Bridge {
  EventNight night = {};
  AlertMeasurement measurement = {};  // reproduced: it is suspected; `good`: the kept night's run
};
using Bridges = std::map<std::string, std::vector<Bridge>, std::less<>>;  // by series id

[[nodiscard]] Bridges bridges_of(std::span<const TrackEvent> events);
// The newest that is not later; null: there is none.
[[nodiscard]] const Bridge* newest_bridge(const Bridges& bridges, std::string_view series,
                                          std::string_view until_utc);
[[nodiscard]] const Bridge* bridge_of_night(const Bridges& bridges, std::string_view series,
                                            std::string_view run);

// Every night of a level that has too few points for a screen, then once a week, by dates
// (2026-01-31T...). `last_utc` is empty: there was none. A text that is no date is due.
[[nodiscard]] bool bridge_is_due(std::size_t points, std::string_view last_utc,
                                 std::string_view tonight_utc);

// What the pairs say: reproduced where the mean log ratio lies beyond
// 1.5 sqrt(SE^2 + layout^2) of zero, either way. Not judged with fewer than three usable pairs.
[[nodiscard]] ConfirmAnswer bridge_answer(std::span<const double> kept,
                                          std::span<const double> tonight,
                                          double layout_sd = kLayoutSd);

// What the first pairs of a measurement say: never reproduced, only all of them can say that.
[[nodiscard]] ConfirmAnswer look_answer(std::span<const double> good,
                                        std::span<const double> tonight);
// Whether a look is enough: no change beyond the margin the way that is suspected.
[[nodiscard]] bool is_over(const ConfirmAnswer& look, bool suspected_higher,
                           double margin = kTellMargin);

}  // namespace stepbench::track
