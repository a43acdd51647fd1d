// SPDX-License-Identifier: Apache-2.0
#include "harness/track/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/track/rank_scan.h"
#include "harness/track/split_table.h"
#include "tests/unit/stats/go_benchmarks.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::track {
namespace {

std::vector<std::size_t> indexes(const std::vector<ChangePoint>& points) {
  std::vector<std::size_t> all;
  for (const ChangePoint& point : points) all.push_back(point.index);
  return all;
}

using Indexes = std::vector<std::size_t>;

Split best_split(const std::vector<double>& values) {
  SplitTable table;
  table.fill(values);
  return table.best(0, values.size());
}

TEST(ChangePoints, TheBestSplitOfTwoLevelsLiesBetweenThem) {
  const Split split = best_split(std::vector<double>{0, 0, 0, 0, 0, 100, 100, 100, 100});
  EXPECT_EQ(split.index, 5u);
  EXPECT_EQ(split.end, 9u);
  EXPECT_NEAR(split.q, 4000.0 / 9, 1e-9);
  const Split other = best_split(std::vector<double>{1, 2, 1.5, 5, 6, 5.5});
  EXPECT_EQ(other.index, 3u);
  EXPECT_EQ(other.end, 6u);
  EXPECT_NEAR(other.q, 10, 1e-12);
}

TEST(ChangePoints, NothingSplitsWhatIsEqualOrTooShort) {
  EXPECT_EQ(best_split(std::vector<double>(20, 3.0)).q, 0);
  EXPECT_EQ(best_split(std::vector<double>{1}).q, 0);
  EXPECT_EQ(best_split({}).q, 0);
  EXPECT_TRUE(otava_change_points({}).empty());
  EXPECT_TRUE(otava_change_points(std::vector<double>(200, 3.0)).empty());
  EXPECT_TRUE(divisive_change_points({}).empty());
  EXPECT_TRUE(divisive_change_points(std::vector<double>(50, 3.0)).empty());
}

TEST(RankScan, FindsTheShiftOfTwoTens) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(i);
  for (int i = 0; i < 10; ++i) values.push_back(100 + i);
  EXPECT_EQ(rank_scan(values).index, 10u);
  EXPECT_NEAR(rank_scan(values).z, 3.779645, 1e-6);
  EXPECT_EQ(rank_scan(std::vector<double>{1, 2, 3, 4, 5}).index, 0u);
}

// No rank statistic of so few nights can be larger.
TEST(RankScan, IsBoundedByTheNumberOfNights) {
  const auto largest = [](int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(i < n / 2 ? 0 + i : 1000 + i);
    return rank_scan(values).z;
  };
  EXPECT_NEAR(largest(10), 2.611, 1e-3);
  EXPECT_NEAR(largest(12), 2.882, 1e-3);
  EXPECT_NEAR(largest(15), 3.240, 1e-3);
}

// Published series with the answers that their projects assert.
class PublishedSeries : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder())) {
      GTEST_SKIP() << "the published series are not on this machine: " << folder().string();
    }
  }
  static std::filesystem::path folder() { return testing_stats::public_series() / "otava"; }
  static nlohmann::json read(const char* name) {
    std::ifstream file(folder() / name);
    return nlohmann::json::parse(file);
  }
};

TEST_F(PublishedSeries, TheYearOfTigerBeetleHasOtavasChangePointsInAllTenCases) {
  const nlohmann::json data = read("tigerbeetle.json");
  const auto values = data.at("series").get<std::vector<double>>();
  ASSERT_EQ(values.size(), 365u);
  ASSERT_EQ(data.at("cases").size(), 10u);
  for (const auto& item : data.at("cases")) {
    EXPECT_EQ(indexes(otava_change_points(values, {.window = item.at("window_len"),
                                                   .max_p = item.at("max_pvalue"),
                                                   .min_magnitude = item.at("min_magnitude")})),
              item.at("expected_indexes").get<Indexes>())
        << item.at("test");
  }
}

TEST_F(PublishedSeries, OtavasSmallCases) {
  const nlohmann::json cases = read("small_cases.json");
  const auto series = [&](const char* name) {
    return cases.at(name).at("series").get<std::vector<double>>();
  };
  EXPECT_EQ(
      indexes(otava_change_points(series("analysis_test.single"), {.window = 10, .max_p = 0.0001})),
      Indexes{10});
  EXPECT_EQ(indexes(otava_change_points(series("series_test.series1"))), Indexes{6});
  EXPECT_EQ(indexes(otava_change_points(series("series_test.series1"), {.min_magnitude = 0.2})),
            Indexes{6});
  EXPECT_EQ(indexes(otava_change_points(series("series_test.series2"))), Indexes{4});
  EXPECT_TRUE(otava_change_points(series("series_test.series2"), {.min_magnitude = 0.2}).empty());
  const auto from_zero = otava_change_points(series("series_test.div_by_zero"));
  EXPECT_EQ(indexes(from_zero), (Indexes{3, 6}));
  for (const ChangePoint& point : from_zero) {
    EXPECT_FALSE(std::isnan(point.p) || std::isnan(point.t) || std::isnan(point.change()) ||
                 std::isnan(point.magnitude()));
  }
}

// Marked by a person, each with how far off an answer may be and how much it matters, from 0 to 1.
TEST_F(PublishedSeries, TheChangesThatMatterInPerfolizersRealSeriesAreFound) {
  std::ifstream file(testing_stats::public_series() / "perfolizer" / "cpd.json");
  const nlohmann::json real = nlohmann::json::parse(file).at("real1");
  const auto values = real.at("series").get<std::vector<double>>();
  const auto finds_all = [&](const Indexes& found, double matters) {
    for (const auto& mark :
         real.at("expected(index, acceptable_dist, max_dist, missing_penalty)")) {
      if (mark.at(3).get<double>() < matters) continue;
      const double first_after = mark.at(0).get<double>() + 1;
      const double acceptable = mark.at(1);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](std::size_t index) {
                                return std::abs(static_cast<double>(index) - first_after) <=
                                       acceptable;
                              }))
          << "the change at " << first_after;
    }
    EXPECT_LE(found.size(), 6u);
  };
  finds_all(indexes(otava_change_points(values)), 0.5);
  finds_all(indexes(divisive_change_points(values)), 1);
}

// By its permutations within [5, 14) the second is found once in 42 times without a change.
TEST_F(PublishedSeries, PermutationsFindTheThreeLevelsOfAShortSequence) {
  const auto values =
      read("small_cases.json").at("cpd_test.SEQUENCE").at("series").get<std::vector<double>>();
  EXPECT_EQ(indexes(otava_change_points(values, {.max_p = 0.01})), (Indexes{5, 8}));
  EXPECT_EQ(indexes(divisive_change_points(values, {.max_p = 0.05})), (Indexes{5, 8}));
  EXPECT_EQ(indexes(divisive_change_points(values, {.max_p = 0.01})), Indexes{5});
}

TEST(Divisive, FindsAStepOfThreePercentWhereItIs) {
  testing_noise::Noise noise(3);
  std::vector<double> values;
  for (int i = 0; i < 120; ++i) {
    values.push_back((i < 70 ? 1000 : 1030) * std::exp(0.005 * noise.normal()));
  }
  const auto points = divisive_change_points(values);
  ASSERT_EQ(indexes(points), Indexes{70});
  EXPECT_NEAR(points[0].change(), 0.03, 0.005);
  EXPECT_NEAR(points[0].before, 1000, 3);
  EXPECT_NEAR(points[0].after, 1030, 3);
}

TEST(Divisive, LeavesOutChangesThatAreTooSmallOrTooShort) {
  testing_noise::Noise noise(4);
  std::vector<double> small;
  std::vector<double> spike;
  for (int i = 0; i < 80; ++i) {
    small.push_back((i < 40 ? 1000 : 1012) * std::exp(0.002 * noise.normal()));
    spike.push_back((i == 40 || i == 41 ? 1500 : 1000) * std::exp(0.002 * noise.normal()));
  }
  EXPECT_TRUE(divisive_change_points(small).empty());
  EXPECT_EQ(indexes(divisive_change_points(small, {.min_magnitude = 0.005})), Indexes{40});
  EXPECT_TRUE(divisive_change_points(spike).empty());
}

// One commit measured again and again, on a machine that is the same from hour to hour: with
// permutations alone six of ten such series had a change.
TEST(Divisive, FindsHardlyAnyChangeWhereOnlyNeighboursAreAlike) {
  int changed = 0;
  int found = 0;
  constexpr int kSeries = 100;
  for (int i = 0; i < kSeries; ++i) {
    testing_noise::Noise noise(static_cast<std::uint64_t>(i) + 500);
    std::vector<double> values = noise.autoregressive(34, 0.7, 0.01);
    changed += !divisive_change_points(values, {.min_magnitude = 0.005}).empty();
    for (std::size_t night = 17; night < values.size(); ++night) values[night] *= 1.1;
    found += !divisive_change_points(values, {.min_magnitude = 0.005}).empty();
  }
  EXPECT_LE(changed, 10);
  EXPECT_GE(found, 80) << "a step of seven spreads is found all the same";
}

TEST(Divisive, LevelsMeetAlsoWhereASmallChangeBetweenThemWasDropped) {
  testing_noise::Noise noise(9);
  std::vector<double> values;
  for (int i = 0; i < 150; ++i) {
    const double level = i < 50 ? 1000 : i < 100 ? 1100 : 1112;
    values.push_back(level * (1 + 0.002 * noise.normal()));
  }
  ASSERT_EQ(indexes(divisive_change_points(values, {.min_magnitude = 0.005})), (Indexes{50, 100}));
  const auto points = divisive_change_points(values);
  ASSERT_EQ(indexes(points), Indexes{50});
  EXPECT_NEAR(points[0].after, 1106, 2) << "the mean of all that follows";
}

}  // namespace
}  // namespace stepbench::track
