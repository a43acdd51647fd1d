// SPDX-License-Identifier: Apache-2.0
#include "harness/track/notices.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace stepbench::report {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class Notices : public ::testing::Test {
 protected:
  void happens(const std::string& what, const std::string& alert = "A1", bool worse = true) {
    events_.push_back({.at_utc = day_,
                       .what = what,
                       .alert_id = alert,
                       .details = {{"series", std::string("s")}, {"worse", worse}}});
  }
  [[nodiscard]] std::vector<track::Notice> due(
      const std::string& oldest = "2026-01-01T00:00:00Z") const {
    return track::notices_due(events_, oldest);
  }
  void tell(const char* what = track::kTold) {
    for (const track::Notice& notice : due())
      told_.push_back(track::event_of(notice, what, day_, "me@here"));
    events_.insert(events_.end(), told_.begin(), told_.end());
    told_.clear();
  }
  std::string day_ = "2026-02-01T03:00:00Z";
  std::vector<track::TrackEvent> events_;
  std::vector<track::TrackEvent> told_;
};

TEST_F(Notices, WhatWasMeasuredAndConfirmedIsToldOnceAndNoSuspicion) {
  EXPECT_THAT(due(), IsEmpty());
  happens("fired");
  EXPECT_THAT(due(), IsEmpty()) << "not measured";
  happens("reproduced");
  EXPECT_THAT(due(), IsEmpty()) << "one pair of builds";
  happens("confirmed");
  ASSERT_THAT(due(), SizeIs(1));
  EXPECT_EQ(due()[0].alert_id, "A1");
  EXPECT_EQ(due()[0].state, track::AlertState::kRegression);
  tell();
  EXPECT_THAT(due(), IsEmpty());
  happens("fired");
  EXPECT_THAT(due(), IsEmpty()) << "one more series, a night later";
}

TEST_F(Notices, AMachineTellsItsOwnAlerts) {
  events_.push_back(
      {.at_utc = day_,
       .what = "fired",
       .alert_id = "A1",
       .details = {{"series", std::string("s")}, {"worse", true}, {"host", std::string("box1")}}});
  happens("confirmed");
  EXPECT_THAT(track::notices_due(events_, "", "box2"), IsEmpty());
  EXPECT_THAT(track::notices_due(events_, "", "box1"), SizeIs(1));
}

TEST_F(Notices, WhatWasNotReproducedFixedAcceptedOrFaster_IsNotTold) {
  for (const std::string end :
       {"not-reproduced", "environment-change", "acknowledged", "baseline"}) {
    events_.clear();
    happens("fired");
    if (end == "acknowledged") happens("confirmed");
    happens(end);
    EXPECT_THAT(due(), IsEmpty()) << end;
  }
  events_.clear();
  happens("fired", "A1", false);
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(Notices, AnAcceptedAlertThatComesBackIsToldAgain) {
  happens("fired");
  happens("reproduced");
  happens("confirmed");
  tell();
  happens("acknowledged");
  EXPECT_THAT(due(), IsEmpty());
  happens("expired");
  ASSERT_THAT(due(), SizeIs(1));
  EXPECT_EQ(due()[0].state, track::AlertState::kRegression);
}

TEST_F(Notices, AMessageThatFailedIsTriedAgainAndOldNewsIsNone) {
  happens("fired");
  happens("confirmed");
  EXPECT_THAT(due("2026-02-01T03:00:00Z"), SizeIs(1));
  EXPECT_THAT(due("2026-02-01T03:00:01Z"), IsEmpty());
  const std::vector<track::Notice> first = due();
  tell();
  events_.push_back(
      track::event_of(first.at(0), track::kNotTold, day_, "me@here", "exit status 1"));
  EXPECT_THAT(due(), SizeIs(1));
  tell();
  EXPECT_THAT(due(), IsEmpty());
  happens("fired", "A2");
  happens("confirmed", "A2");
  ASSERT_THAT(due(), SizeIs(1));
  EXPECT_EQ(due()[0].alert_id, "A2");
}

}  // namespace
}  // namespace stepbench::report
