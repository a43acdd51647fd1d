// SPDX-License-Identifier: Apache-2.0
// What the history is told of confirmation campaigns: when one begins and when it ends, so that
// the next check goes on with one that was cut. Pure, but for the process that is asked for.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/track/alert.h"

namespace stepbench {

inline constexpr const char* kCampaignBegun = "campaign";  // TrackEvent::what
inline constexpr const char* kCampaignEnded = "campaign-end";

// One campaign, as its events tell it. They belong to no alert.
struct CampaignRecord {
  std::string run = {};     // of the night
  std::string good = {};    // the last good night; empty: only its program was given
  int number = 1;           // which confirmation
  std::string digest = {};  // of all that must be equal to go on with it
  std::string folder = {};  // absolute
};

[[nodiscard]] TrackEvent event_of(const CampaignRecord& record, const char* what,
                                  std::string at_utc, std::string who);

// The newest campaign with this digest that began and did not end; nullopt: none.
[[nodiscard]] std::optional<CampaignRecord> unfinished_campaign(std::span<const TrackEvent> events,
                                                                const std::string& digest);

}  // namespace stepbench
