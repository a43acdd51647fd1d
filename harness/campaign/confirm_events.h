// SPDX-License-Identifier: Apache-2.0
// What the history is told of confirmation campaigns: when one begins and when it ends, so that
// the next check goes on with one that was cut, and knows which process claimed it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/alert.h"

namespace stepbench::campaign {

inline constexpr std::string_view kCampaignClaimed = "campaign-claimed";  // TrackEvent::what
inline constexpr std::string_view kCampaignBegun = "campaign-begun";
inline constexpr std::string_view kCampaignEnded = "campaign-ended";

// One campaign, as its events tell it. They belong to no alert.
struct CampaignRecord {
  std::string night = {};     // run id
  std::string question = {};  // a digest of all that makes it the same campaign
  std::string folder = {};    // absolute
  bool ended = false;         // it was measured to its end
  bool judged = false;        // and said something of every suspect
};

// CampaignRecord::question: `facts` are all else on which the launches depend.
[[nodiscard]] std::string campaign_question(const std::string& night,
                                            const std::vector<std::string>& facts,
                                            const std::set<std::string>& case_ids);
// Of the order of the launches: another one for each campaign with the same question.
[[nodiscard]] std::uint64_t campaign_seed(const std::string& question, std::size_t begun);

[[nodiscard]] track::TrackEvent campaign_event(std::string_view what, const CampaignRecord& record,
                                               std::string at_utc, std::string who);

// The newest campaign with this question; nullopt: none was begun.
[[nodiscard]] std::optional<CampaignRecord> newest_campaign(
    std::span<const track::TrackEvent> events, std::string_view question);
// How many of them were begun.
[[nodiscard]] std::size_t campaigns_begun(std::span<const track::TrackEvent> events,
                                          std::string_view question);

// Of a claim that was taken: which process took it, so that one that died does not keep it.
[[nodiscard]] track::TrackEvent claim_event(const std::string& what, const std::string& claimant,
                                            std::string at_utc, std::string who);
// The newest claimant of it; empty: nobody ever.
[[nodiscard]] std::string last_claimant(std::span<const track::TrackEvent> events,
                                        std::string_view what);

}  // namespace stepbench::campaign
