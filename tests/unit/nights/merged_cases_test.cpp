// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merged_cases.h"

#include "harness/base/error.h"
#include "harness/nights/internal/track_store.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench::nights {
namespace {

constexpr const char* kOld = "aaaaaaaaaaaaaaaa";
constexpr const char* kNew = "bbbbbbbbbbbbbbbb";

const OptionValues kNewOptions = {{"loader.engine", Value{std::string("inline")}}};

class MergedCasesTest : public ::testing::Test {
 protected:
  [[nodiscard]] TrackStore open(const char* name = "history.db") const {
    return TrackStore::open("sqlite:" + std::string(folder / name),
                            {.events_file = folder / "events.jsonl"});
  }
  static void add(TrackStore& store, int day, const std::vector<std::string>& cases) {
    const auto made = testing_history::night(day, {.cases = cases});
    store.add(testing_history::make(made), "results/" + made.run_id);
  }
  static void split_on_the_fourth(TrackStore& store) {
    for (int day = 1; day <= 6; ++day) add(store, day, {day < 4 ? kOld : kNew});
  }
  static void merge(TrackStore& store, const std::string& from, const std::string& into,
                    const OptionValues& options = kNewOptions) {
    const MergedCase merged{.from = from, .into = into, .options = options};
    (void)plan_merge(store.history(), merged);
    const TrackEvent event = event_of(merged, "one case");
    store.record({&event, 1});
  }
  static std::vector<std::string> cases_of(const History& history) {
    std::vector<std::string> cases;
    for (const SeriesHistory& one : history.series) {
      if (one.series.metric == kStepSeries) {
        cases.push_back(one.series.case_id + ' ' + std::to_string(one.points.size()));
      }
    }
    return cases;
  }
  static std::string step_id(const TrackStore&, const History& history, const char* case_id) {
    for (const SeriesHistory& one : history.series) {
      if (one.series.metric == kStepSeries && one.series.case_id == case_id) return one.series.id;
    }
    return {};
  }

  test::TemporaryFolder folder;
};

TEST_F(MergedCasesTest, BothCases_ShareTheirSeries) {
  TrackStore store = open();
  split_on_the_fourth(store);
  EXPECT_THAT(cases_of(store.history()),
              ElementsAre(std::string(kOld) + " 3", std::string(kNew) + " 3"));
  const CaseMerge plan =
      plan_merge(store.history(), {.from = kOld, .into = kNew, .options = kNewOptions});
  EXPECT_EQ(plan.from_nights, 3U);
  EXPECT_EQ(plan.into_nights, 3U);
  EXPECT_EQ(plan.series, 4U);
  EXPECT_EQ(plan.from_last, "2026-01-03");
  EXPECT_EQ(plan.into_first, "2026-01-04");
  EXPECT_EQ(plan.among, 0U);
  EXPECT_THAT(plan.differ, ElementsAre(FieldsAre("device", "cpu", "default"),
                                       FieldsAre("loader.engine", "default", "inline"),
                                       FieldsAre("loader.num_workers", "2", "default")));
  EXPECT_THAT(cases_of(store.history()), SizeIs(2)) << "a plan changes nothing";
  const std::string old_id = step_id(store, store.history(), kOld);
  merge(store, kOld, kNew);
  const History history = store.history();
  EXPECT_THAT(cases_of(history), ElementsAre(std::string(kNew) + " 6"));
  EXPECT_THAT(history.series, SizeIs(4));
  EXPECT_EQ(store.extents().count(old_id), 0U);
  // A late launch is added to the merged point.
  const auto grown = testing_history::night(2, {.cases = {kOld}, .launches = 8});
  store.add(testing_history::make(grown), "results/" + grown.run_id);
  EXPECT_THAT(cases_of(store.history()), ElementsAre(std::string(kNew) + " 6"));
  EXPECT_EQ(store.history().series.front().points.at(1).launches, 8);
}

TEST_F(MergedCasesTest, RebuiltHistory_IsMergedAgain) {
  TrackStore store = open();
  split_on_the_fourth(store);
  merge(store, kOld, kNew);
  TrackStore rebuilt = open("rebuilt.db");
  add(rebuilt, 2, {kOld});
  EXPECT_THAT(cases_of(rebuilt.history()), ElementsAre(std::string(kNew) + " 1"));
  split_on_the_fourth(rebuilt);
  const History history = rebuilt.history();
  EXPECT_THAT(cases_of(history), ElementsAre(std::string(kNew) + " 6"));
  EXPECT_EQ(history.series.front().series.options, kNewOptions);
}

TEST_F(MergedCasesTest, EventsOfTheOldSeries_Move) {
  TrackStore store = open();
  split_on_the_fourth(store);
  const std::string old_id = step_id(store, store.history(), kOld);
  const std::string new_id = step_id(store, store.history(), kNew);
  const TrackEvent ignored{.what = "ignored", .details = {{"series", old_id}}};
  const TrackEvent ratios{.what = "reference", .details = {{"ratios", old_id + "=1.01 .2"}}};
  const std::vector<TrackEvent> said = {ignored, ratios};
  store.record(said);
  EXPECT_EQ(text_of(store.events().at(0).details, "series"), old_id);
  merge(store, kOld, kNew);
  EXPECT_EQ(text_of(store.events().at(0).details, "series"), new_id);
  EXPECT_EQ(text_of(store.events().at(1).details, "ratios"), new_id + "=1.01 .2");
}

TEST_F(MergedCasesTest, AlternatingNights_StayInOrder) {
  TrackStore store = open();
  for (int day = 1; day <= 6; ++day) add(store, day, {day % 2 == 0 ? kOld : kNew});
  EXPECT_EQ(plan_merge(store.history(), {.from = kOld, .into = kNew}).among, 4U);
  merge(store, kOld, kNew);
  const History history = store.history();
  const std::vector<TrackedPoint>& points = history.series.front().points;
  ASSERT_THAT(points, SizeIs(6));
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].run, i);
}

TEST_F(MergedCasesTest, CasesOfOneRun_AreRejected) {
  TrackStore store = open();
  add(store, 1, {kOld, kNew});
  const auto refuses = [&](const char* from, const char* into, const std::string& why) {
    EXPECT_THAT([&] { (void)plan_merge(store.history(), {.from = from, .into = into}); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refuses(kOld, kNew, "were both measured in run 20260101-020000-nightly");
  refuses(kOld, kOld, "both names mean the same case");
  refuses("cccccccccccccccc", kOld, "has no night in this history");

  TrackStore later = open("later.db");
  add(later, 1, {kOld});
  merge(later, kOld, kNew);
  add(later, 2, {kOld, kNew});
  EXPECT_THAT(cases_of(later.history()),
              ElementsAre(std::string(kOld) + " 1", std::string(kNew) + " 2"));
}

TEST_F(MergedCasesTest, RepeatedMerge_TakesAllWithIt) {
  TrackStore store = open();
  add(store, 1, {kOld});
  add(store, 2, {kNew});
  add(store, 3, {"cccccccccccccccc"});
  merge(store, kOld, kNew);
  merge(store, kNew, "cccccccccccccccc");
  EXPECT_THAT(cases_of(store.history()), ElementsAre("cccccccccccccccc 3"));
  merge(store, "cccccccccccccccc", kOld);
  EXPECT_THAT(cases_of(store.history()), ElementsAre(std::string(kOld) + " 3"));
  add(store, 4, {kNew});
  EXPECT_THAT(cases_of(store.history()), ElementsAre(std::string(kOld) + " 4"));
}

}  // namespace
}  // namespace stepbench::nights
