// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/alert.h"

#include "harness/nights/acts.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::report {
namespace {

using test::NightMaker;

constexpr const char* kLongAgo = "2025-01-01T00:00:00Z";

// A step in night 22, judged up to it.
NightMaker told_maker() {
  NightMaker maker;
  maker.add_series("0", NightMaker::moved_from(22, 1.05, 76e6));
  (void)maker.live(22);
  return maker;
}

std::vector<nights::Notice> pending(const NightMaker& maker, const std::string& host = {}) {
  return nights::pending_notices(maker.events, kLongAgo, host);
}

void tell_people(NightMaker& maker, const char* what = nights::kPeopleNotified) {
  for (const nights::Notice& notice : pending(maker)) {
    maker.tell(nights::event_of(notice, what, "2026-01-23T09:00:00Z", "me@here"));
  }
}

TEST(Notices, EachNews_IsSentOnce) {
  NightMaker maker;
  maker.add_series("0", NightMaker::moved_from(22, 1.05, 76e6));
  (void)maker.live(21);
  EXPECT_THAT(pending(maker), IsEmpty());
  (void)maker.live(22);
  ASSERT_THAT(pending(maker), SizeIs(1));
  EXPECT_EQ(pending(maker)[0].alert_id, "A1");
  tell_people(maker);
  EXPECT_THAT(pending(maker), IsEmpty());
  (void)maker.live(24);
  EXPECT_THAT(pending(maker), IsEmpty()) << "it is open still, and no news";
}

TEST(Notices, Machine_SendsItsOwnAlerts) {
  const NightMaker maker = told_maker();
  EXPECT_THAT(pending(maker, "another-box"), IsEmpty());
  EXPECT_THAT(pending(maker, "box"), SizeIs(1));
}

TEST(Notices, Failed_IsRetriedButOldIsNot) {
  NightMaker maker = told_maker();
  EXPECT_THAT(nights::pending_notices(maker.events, "2026-02-01T00:00:00Z"), IsEmpty());
  tell_people(maker);
  maker.tell(
      nights::event_of({.alert_id = "A1"}, nights::kNotificationFailed, "", "", "exit status 7"));
  EXPECT_THAT(pending(maker), SizeIs(1));
}

TEST(Notices, AcceptedOrFixed_IsNotSent) {
  NightMaker maker = told_maker();
  maker.tell(nights::accept_alert(maker.alert("A1"), {.reason = "wanted"}, "2026-01-23"));
  EXPECT_THAT(pending(maker), IsEmpty());
}

TEST(Notices, GrowingAlert_IsSentAgain) {
  NightMaker maker;
  test::Nightly values = NightMaker::moved_from(10, 1.05, 76e6);
  for (std::size_t i = 20; i < values.size(); ++i) values[i] = *values[i] * 1.1;
  maker.add_series("0", values);
  (void)maker.live(12);
  tell_people(maker);
  EXPECT_THAT(pending(maker), IsEmpty());
  (void)maker.live(20);
  EXPECT_THAT(pending(maker), SizeIs(1));
}

}  // namespace
}  // namespace stepbench::report
