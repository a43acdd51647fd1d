// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_events.h"

#include <charconv>
#include <utility>

#include "harness/base/digest.h"
#include "harness/text/words.h"

namespace stepbench::campaign {

std::string campaign_question(const std::string& night, const std::vector<std::string>& facts,
                              const std::set<std::string>& case_ids) {
  return digest(night + '\n' + text::join(facts, "\n") + '\n' + text::join(case_ids, "\n"));
}

std::uint64_t campaign_seed(const std::string& question, std::size_t begun) {
  constexpr std::size_t kDigits = 12;  // below 2^53, so that every reader of JSON gives it back
  const std::string hex = digest(question + '\n' + std::to_string(begun)).substr(0, kDigits);
  std::uint64_t seed = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), seed, 16);
  return seed;
}

track::TrackEvent campaign_event(std::string_view what, const CampaignRecord& record,
                                 std::string at_utc, std::string who) {
  track::TrackEvent event{
      .at_utc = std::move(at_utc), .who = std::move(who), .what = std::string(what)};
  event.details["night"] = record.night;
  event.details["question"] = record.question;
  event.details["campaign"] = record.folder;
  if (what == kCampaignEnded) event.details["judged"] = record.judged;
  return event;
}

std::optional<CampaignRecord> newest_campaign(std::span<const track::TrackEvent> events,
                                              std::string_view question) {
  std::optional<CampaignRecord> newest;
  for (const track::TrackEvent& event : events) {
    if (event.what != kCampaignBegun && event.what != kCampaignEnded) continue;
    if (text_of(event.details, "question") != question) continue;
    const std::string folder = text_of(event.details, "campaign");
    if (event.what == kCampaignBegun) {
      newest = {.night = text_of(event.details, "night"),
                .question = std::string(question),
                .folder = folder};
    } else if (newest && newest->folder == folder) {
      newest->ended = true;
      newest->judged = text_of(event.details, "judged") == "true";
    }
  }
  return newest;
}

std::size_t campaigns_begun(std::span<const track::TrackEvent> events, std::string_view question) {
  std::size_t begun = 0;
  for (const track::TrackEvent& event : events) {
    begun += event.what == kCampaignBegun && text_of(event.details, "question") == question ? 1 : 0;
  }
  return begun;
}

track::TrackEvent claim_event(const std::string& what, const std::string& claimant,
                              std::string at_utc, std::string who) {
  track::TrackEvent event{
      .at_utc = std::move(at_utc), .who = std::move(who), .what = std::string(kCampaignClaimed)};
  event.details["claim"] = what;
  event.details["claimant"] = claimant;
  return event;
}

std::string last_claimant(std::span<const track::TrackEvent> events, std::string_view what) {
  std::string claimant;
  for (const track::TrackEvent& event : events) {
    if (event.what != kCampaignClaimed || text_of(event.details, "claim") != what) continue;
    claimant = text_of(event.details, "claimant");
  }
  return claimant;
}

}  // namespace stepbench::campaign
