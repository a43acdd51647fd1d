// SPDX-License-Identifier: Apache-2.0
// The pairs of a night as an event of the history. Pure; any thread.
#pragma once

#include <string_view>

#include "harness/nights/pairs.h"
#include "harness/track/event.h"

namespace stepbench::nights {

// TrackEvent::what, of no alert; one for each run that `nightly` measured.
inline constexpr std::string_view kPairsEvent = "pairs";
[[nodiscard]] track::TrackEvent event_of(const NightPairs& night);
// Also a "reference" event, in which older versions kept a mean and its error.
[[nodiscard]] bool is_pairs_event(const track::TrackEvent& event);
[[nodiscard]] NightPairs night_pairs(const track::TrackEvent& event);

}  // namespace stepbench::nights
