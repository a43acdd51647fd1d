// SPDX-License-Identifier: Apache-2.0
// Which campaign the next check goes on with, and who holds a claim.
#include "harness/campaign/confirm_events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "harness/campaign/confirm_claims.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kThisHost = "here";

track::TrackEvent campaign(std::string_view what, const std::string& question,
                           const std::string& folder) {
  return campaign_event(what, {.night = "night", .question = question, .folder = folder},
                        "2026-02-03T01:00:00Z", "tester");
}

TEST(ConfirmEvents, TheNewestCampaignOfAQuestionIsFoundWithItsEnd) {
  std::vector<track::TrackEvent> events = {campaign(kCampaignBegun, "q", "one"),
                                           campaign(kCampaignEnded, "q", "one"),
                                           campaign(kCampaignBegun, "other", "two")};
  EXPECT_FALSE(newest_campaign(events, "unknown").has_value());
  EXPECT_EQ(newest_campaign(events, "q").value().folder, "one");
  EXPECT_TRUE(newest_campaign(events, "q").value().ended);
  EXPECT_FALSE(newest_campaign(events, "q").value().judged);
  events.push_back(campaign(kCampaignBegun, "q", "three"));
  EXPECT_EQ(newest_campaign(events, "q").value().folder, "three");
  EXPECT_FALSE(newest_campaign(events, "q").value().ended);
  EXPECT_EQ(campaigns_begun(events, "q"), 2U);
}

TEST(ConfirmEvents, TheLastClaimantOfACaseIsKnownAndNoAlerts) {
  const std::vector<track::TrackEvent> events = {claim_event("case", "first", "", ""),
                                                 claim_event("case", "second", "", ""),
                                                 claim_event("other", "third", "", "")};
  EXPECT_EQ(last_claimant(events, "case"), "second");
  EXPECT_EQ(last_claimant(events, "nobody's"), "");
  EXPECT_EQ(campaign(kCampaignBegun, "q", "one").alert_id, "");
  EXPECT_EQ(events[0].alert_id, "");
}

TEST(ConfirmClaimant, IsGoneOnlyWhereItsProcessRanHereAndIsNoMore) {
  const std::string mine = claimant_name("tester", kThisHost);
  EXPECT_FALSE(claimant_is_gone(mine, kThisHost));
  const std::string mark = " on " + std::string(kThisHost) + " #";
  const std::string pid = std::to_string(::getpid());
  EXPECT_TRUE(claimant_is_gone("tester" + mark + pid + ".1", kThisHost))
      << "a process with this number that began at another time";
  EXPECT_FALSE(claimant_is_gone("tester on elsewhere #" + pid + ".1", kThisHost));
  EXPECT_FALSE(claimant_is_gone("somebody", kThisHost));
  EXPECT_FALSE(claimant_is_gone("tester" + mark + "../x.1", kThisHost));
  EXPECT_FALSE(claimant_is_gone("", kThisHost));
}

}  // namespace
}  // namespace stepbench::campaign
