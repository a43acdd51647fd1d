// SPDX-License-Identifier: Apache-2.0
// Notes of a night about a case without a history (harness/nights/history.h).
#include "harness/nights/history.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::nights {
namespace {

using test::Nightly;
using test::NightMaker;

constexpr std::size_t kTonight = 12;

Nightly until_yesterday() {
  Nightly values = NightMaker::steady(kTonight + 1);
  values.back().reset();
  return values;
}

Nightly from_tonight() {
  Nightly values(kTonight + 1);
  values.back() = 76e6;
  return values;
}

void set_options(TrackedSeries& series, const std::string& engine, std::int64_t workers) {
  series.options = {{"loader.engine", Value{engine}}, {"loader.num_workers", Value{workers}}};
}

// For the night with that number, with the history known then.
std::vector<std::string> news_of(const NightMaker& maker, std::size_t night) {
  History known = maker.history;
  const std::string tonight = NightMaker::run_id(night);
  for (SeriesHistory& one : known.series) {
    std::erase_if(one.points, [&](const TrackedPoint& point) {
      return known.runs.at(point.run).run_id > tonight;
    });
  }
  return new_series_notes(known, {&tonight, 1});
}

TEST(NewSeries, OtherOption_IsNamedWithAMerge) {
  NightMaker maker;
  set_options(maker.add_series("old", until_yesterday()), "thread", 0);
  set_options(maker.add_series("goes_on", NightMaker::steady(kTonight + 1)), "inline", 4);
  set_options(maker.add_series("fresh", from_tonight()), "inline", 0);
  EXPECT_THAT(news_of(maker, kTonight),
              ElementsAre("series fresh is new: old (12 nights) is the most similar one, and "
                          "differs in loader.engine (thread -> inline); if they are the same case: "
                          "`stepbench track merge old fresh`"));
  EXPECT_THAT(news_of(maker, kTonight - 1), IsEmpty()) << "it is new in one night";
  EXPECT_THAT(news_of(maker, 0), IsEmpty()) << "nor is all of a first night";
}

TEST(NewSeries, OtherMachine_NamesTheFact) {
  NightMaker maker;
  maker.add_series("old", until_yesterday()).machine = {
      {"cpu.model", Value{std::string("EPYC 7763")}}};
  maker.add_series("fresh", from_tonight()).machine = {
      {"cpu.model", Value{std::string("EPYC 9654")}}};
  const std::vector<std::string> news = news_of(maker, kTonight);
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0],
              AllOf(HasSubstr("cpu.model (EPYC 7763 -> EPYC 9654)"), Not(HasSubstr("merge"))));
}

TEST(NewSeries, Many_ShowTheFirstThree) {
  NightMaker maker;
  set_options(maker.add_series("old", NightMaker::steady(kTonight + 1)), "thread", 1);
  for (std::int64_t workers = 2; workers < 8; ++workers) {
    set_options(maker.add_series("w" + std::to_string(workers), from_tonight()), "thread", workers);
  }
  const std::vector<std::string> news = news_of(maker, kTonight);
  ASSERT_THAT(news, SizeIs(4));
  EXPECT_THAT(news.back(), HasSubstr("3 more series are new"));
}

}  // namespace
}  // namespace stepbench::nights
