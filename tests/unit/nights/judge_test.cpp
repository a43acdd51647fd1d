// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/judge.h"

#include <random>

#include "tests/testing.h"
#include "tests/unit/nights/lives.h"

namespace stepbench::nights {
namespace {

using testing_nights::Life;
using testing_nights::Noise;

constexpr std::uint64_t kSeed = 20261129;

// 28 pairs with this mean and standard deviation, logistic, in an order that begins at `first`.
std::vector<double> spread_out(double mean, double sd, std::size_t first) {
  constexpr std::size_t kAll = kPairs + kMaxPairs;
  std::vector<double> pairs;
  for (std::size_t i = 0; i < kAll; ++i) {
    const double share = (static_cast<double>((11 * i + first) % kAll) + .5) / kAll;
    pairs.push_back(mean + sd * std::log(share / (1 - share)) / 1.702);
  }
  return pairs;
}

// One series with four pairs per night, and fresh ones if it looks odd.
class Nights {
 public:
  explicit Nights(const JudgeRule& rule = {}) : rule_(rule) {}

  // `log_ratio`: tonight's program over the reference, without the noise of launches.
  SeriesVerdict night(double log_ratio, std::string build = "") {
    const Tonight tonight{.run = std::to_string(++night_),
                          .build = build.empty() ? "b" + std::to_string(night_) : build,
                          .reference = reference,
                          .reference_run = "0"};
    SeriesPairs pairs{.pairs = draw(log_ratio, kPairs), .first = kPairs};
    while (pairs.pairs.size() < kPairs + kMaxPairs &&
           deviation(state, tonight, pairs, rule_) != 0) {
      const std::vector<double> more = draw(log_ratio, kMorePairs);
      pairs.pairs.insert(pairs.pairs.end(), more.begin(), more.end());
    }
    measured = pairs.pairs.size();
    return judge(state, tonight, pairs, rule_);
  }
  // The verdict on these pairs, of which the first four were planned.
  SeriesVerdict short_of_time(std::vector<double> pairs) {
    const std::string night = std::to_string(++night_);
    return judge(state,
                 {.run = night, .build = "b" + night, .reference = reference, .reference_run = "0"},
                 {.pairs = std::move(pairs), .first = kPairs}, rule_);
  }
  SeriesVerdict quiet(std::size_t nights) {
    SeriesVerdict last;
    for (std::size_t i = 0; i < nights; ++i) last = night(0);
    return last;
  }

  SeriesState state = {};
  std::string reference = "ref";
  double sd = .002;
  std::size_t measured = 0;  // number of pairs in the last night

 private:
  std::vector<double> draw(double log_ratio, std::size_t count) {
    std::normal_distribution<double> noise(0, sd);
    std::vector<double> pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.push_back(log_ratio + noise(random_));
    return pairs;
  }

  JudgeRule rule_;
  int night_ = 0;
  std::mt19937_64 random_{kSeed};
};

TEST(NightJudge, FirstBuild_UsesTheReferenceAsLevel) {
  Nights nights;
  EXPECT_EQ(nights.night(0).state, NightState::kOk) << "the reference is a build of the level";
  EXPECT_THAT(nights.state.rows, SizeIs(2));
  EXPECT_EQ(nights.measured, kPairs);
}

TEST(NightJudge, LargeStep_IsReportedTheSameNight) {
  Nights nights;
  EXPECT_EQ(nights.quiet(12).state, NightState::kOk);
  const SeriesVerdict judged = nights.night(.05);
  EXPECT_EQ(judged.state, NightState::kRegression);
  ASSERT_TRUE(judged.reported);
  EXPECT_NEAR(judged.reported->size, .05, .01);
  EXPECT_EQ(judged.reported->good, "12");
  EXPECT_EQ(judged.reported->bad, "13");
  EXPECT_EQ(judged.pairs, kMaxPairs) << "the first four made it look odd, and do not count";
  const SeriesVerdict next = nights.night(.05);
  EXPECT_EQ(next.state, NightState::kRegression);
  EXPECT_FALSE(next.reported) << "once";
}

TEST(NightJudge, Growth_IsReportedAgain) {
  Nights nights;
  nights.quiet(12);
  (void)nights.night(.05);
  nights.night(.05);
  const SeriesVerdict judged = nights.night(.1);
  ASSERT_TRUE(judged.reported);
  EXPECT_TRUE(judged.grew);
  EXPECT_NEAR(nights.state.open->size, .1, .015);
}

TEST(NightJudge, Fixed_ReturnsToTheOldLevel) {
  Nights nights;
  nights.quiet(12);
  (void)nights.night(.05);
  (void)nights.night(.05);
  const SeriesVerdict judged = nights.night(0);
  EXPECT_TRUE(judged.fixed);
  EXPECT_EQ(judged.state, NightState::kOk);
  EXPECT_FALSE(nights.state.open);
  EXPECT_EQ(judged.builds, 14U) << "the reference, twelve and tonight's";
}

TEST(NightJudge, Accepted_SetsTheLevel) {
  Nights nights;
  nights.quiet(12);
  (void)nights.night(.05);
  accept(nights.state);
  EXPECT_EQ(nights.night(.05).state, NightState::kOk);
  EXPECT_EQ(nights.night(.1).state, NightState::kRegression);
}

TEST(NightJudge, Improvement_StartsALevel) {
  Nights nights;
  nights.quiet(12);
  EXPECT_EQ(nights.night(-.05).state, NightState::kImprovement);
  EXPECT_EQ(nights.night(-.05).state, NightState::kOk);
  EXPECT_EQ(nights.night(0).state, NightState::kRegression);
}

TEST(NightJudge, GainOfOneBuild_StartsNoLevel) {
  Nights nights;
  nights.quiet(12);
  EXPECT_EQ(nights.night(-.05).state, NightState::kImprovement);
  const SeriesVerdict judged = nights.night(0);
  EXPECT_EQ(judged.state, NightState::kOk) << "it was the layout of that build";
  EXPECT_EQ(judged.builds, 14U) << "the reference, twelve and tonight's";
  EXPECT_EQ(nights.night(.05).state, NightState::kRegression);
}

TEST(NightJudge, LargerIsBetter_InvertsTheSign) {
  Nights nights(JudgeRule{.larger_is_better = true});
  nights.quiet(12);
  EXPECT_EQ(nights.night(-.05).state, NightState::kRegression);
  EXPECT_TRUE(nights.night(0).fixed);
}

TEST(NightJudge, Margin_IsPerSeries) {
  Nights nights(JudgeRule{.margin = .1});
  nights.quiet(12);
  EXPECT_EQ(nights.night(.06).state, NightState::kOk);
  EXPECT_EQ(nights.night(.2).state, NightState::kRegression);
}

TEST(NightJudge, SameBuild_KeepsOneRowOfNewestPairs) {
  Nights nights;
  nights.quiet(3);
  for (int i = 0; i < 12; ++i) (void)nights.night(0, "same");
  EXPECT_THAT(nights.state.rows, SizeIs(5));
  EXPECT_EQ(nights.state.rows.back().count, kMaxPairs);
  EXPECT_EQ(nights.state.rows.back().first_run, "4");
  (void)nights.night(0, "other");
  (void)nights.night(0, "same");
  EXPECT_THAT(nights.state.rows, SizeIs(6)) << "also when it comes back after another one";
  EXPECT_EQ(nights.state.rows.back().first_run, "17");
}

TEST(NightJudge, SlowFirstLaunches_AreOutweighed) {
  Nights nights;
  nights.quiet(12);
  const Tonight tonight{.run = "13", .build = "b13", .reference = "ref", .reference_run = "0"};
  SeriesPairs pairs{.pairs = {.1, .1, .11, .1}, .first = 4};
  EXPECT_GT(deviation(nights.state, tonight, pairs, {}), 1);
  for (int i = 0; i < 8; ++i) pairs.pairs.push_back(i % 2 == 0 ? .001 : -.001);
  EXPECT_EQ(deviation(nights.state, tonight, pairs, {}), 0);
  const SeriesVerdict judged = judge(nights.state, tonight, pairs, {});
  EXPECT_EQ(judged.state, NightState::kOk);
  EXPECT_EQ(judged.pairs, 8U);
}

TEST(NightJudge, QuietSeries_CountsAllPairs) {
  Nights nights;
  nights.quiet(12);
  const Tonight tonight{.run = "13", .build = "b13", .reference = "ref", .reference_run = "0"};
  SeriesPairs pairs{.pairs = std::vector<double>(28, .0005), .first = 4};
  EXPECT_EQ(judge(nights.state, tonight, pairs, {}).pairs, 28U);
}

// Nights without time for fresh pairs, if any were needed.
TEST(NightJudge, OddWithoutFreshPairs_DecidesNothing) {
  Nights nights;
  nights.quiet(12);
  const SeriesVerdict judged = nights.short_of_time({.051, .05, .049, .05});
  EXPECT_EQ(judged.state, NightState::kSuspect);
  EXPECT_EQ(judged.pairs, 4U);
  EXPECT_FALSE(judged.reported) << "its first four pairs selected it";
  EXPECT_NEAR(*judged.change, .05, .002);
}

TEST(NightJudge, OddWithoutFreshPairs_FixesNothing) {
  Nights nights;
  nights.quiet(12);
  (void)nights.night(.05);
  const SeriesVerdict judged = nights.short_of_time({.001, 0, -.001, 0});
  EXPECT_FALSE(judged.fixed);
  EXPECT_EQ(judged.state, NightState::kRegression);
  EXPECT_TRUE(nights.night(0).fixed);
}

TEST(NightJudge, Level_BeginsWithABuildOfFreshPairs) {
  Nights nights;
  nights.quiet(12);
  (void)nights.short_of_time({.081, .08, .079, .08});
  const SeriesVerdict judged = nights.night(.05);
  ASSERT_TRUE(judged.reported);
  EXPECT_EQ(judged.reported->bad, "13") << "where the change is, is told by all builds";
  EXPECT_NEAR(judged.reported->size, .05, .005);
  EXPECT_EQ(judged.builds, 1U);
}

// The step of a recorded LSTM over versions: three of the four launches of the second were slow on
// the reference's side. All four builds seemed 17 % faster, and the last one 47 % slower, although
// its own pairs said 6 %.
TEST(NightJudge, WildLaunches_MoveNoLevel) {
  Nights nights;
  EXPECT_EQ(nights.short_of_time({-.01, -.03, .06, -.488}).state, NightState::kOk);
  EXPECT_EQ(nights.short_of_time({.054, -.338, -.471, -.54}).state, NightState::kSuspect);
  EXPECT_EQ(nights.short_of_time({0, -.02, -.027, -.126}).state, NightState::kSuspect);
  EXPECT_EQ(nights.short_of_time({-.1, -.119, -.135, -.058}).state, NightState::kSuspect);
  EXPECT_EQ(nights.short_of_time(spread_out(-.0044, .061, 0)).state, NightState::kOk);
  EXPECT_EQ(nights.short_of_time(spread_out(.0183, .081, 5)).state, NightState::kOk);
  const SeriesVerdict judged = nights.short_of_time(spread_out(.0545, .081, 9));
  EXPECT_FALSE(judged.reported);
  EXPECT_NEAR(*judged.change, .0545, .02) << "what its own pairs say";
  EXPECT_LT(judged.high, .15);
}

// Nights of one build, as in holidays, and then of others.
TEST(NightJudge, UnconfirmedStep_IsNeverTheUsual) {
  Nights nights;
  nights.quiet(12);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(nights.night(.02, "b").state, NightState::kSuspect);
  SeriesVerdict judged;
  for (const char* build : {"c", "d", "e"}) {
    judged = nights.night(.02, build);
    if (judged.reported) break;
  }
  ASSERT_TRUE(judged.reported) << "several builds are not all layout";
  EXPECT_NEAR(judged.reported->size, .02, .004);
  EXPECT_EQ(judged.reported->good, "12");
  EXPECT_EQ(judged.reported->likely, "13") << "the first of the thirty";
}

TEST(NightJudge, UnderThreePairs_ChangeNothing) {
  Nights nights;
  nights.quiet(12);
  const SeriesState before = nights.state;
  const Tonight tonight{.run = "13", .build = "b13", .reference = "ref", .reference_run = "0"};
  EXPECT_EQ(judge(nights.state, tonight, {.pairs = {.1, .1}, .first = 4}, {}).state,
            NightState::kNoData);
  EXPECT_EQ(nights.state, before);
}

TEST(NightJudge, OtherReference_StartsNewRows) {
  Nights nights;
  nights.quiet(12);
  (void)nights.night(.05);
  nights.reference = "other";
  EXPECT_EQ(nights.night(0).state, NightState::kRegression) << "only a person closes it now";
  ASSERT_TRUE(nights.state.open);
  EXPECT_FALSE(nights.state.open->can_be_measured);
  EXPECT_THAT(nights.state.rows, SizeIs(2));
}

TEST(NightJudge, EqualPairs_AreJudged) {
  Nights nights;
  nights.sd = 0;
  EXPECT_EQ(nights.quiet(40).state, NightState::kOk);
  EXPECT_EQ(nights.night(.05).state, NightState::kRegression);
  for (const BuildRow& row : nights.state.rows) EXPECT_TRUE(std::isfinite(row.centre));
}

TEST(NightJudge, AnyPairs_GiveFiniteNumbers) {
  std::mt19937_64 random(kSeed);
  for (int life = 0; life < 60; ++life) {
    SeriesState state;
    std::lognormal_distribution<double> size(-5, 3);
    const JudgeRule rule{.has_layout = life % 2 == 0};
    for (int night = 0; night < 40; ++night) {
      SeriesPairs pairs{.first = 4};
      const std::size_t count = random() % 40;
      const bool equal = random() % 3 == 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double drawn = (random() % 2 == 0 ? 1 : -1) * size(random);
        pairs.pairs.push_back(equal ? .001 : drawn);
      }
      const SeriesVerdict judged = judge(state,
                                         {.run = std::to_string(night),
                                          .build = std::to_string(random() % 20),
                                          .reference = "r",
                                          .reference_run = "0"},
                                         pairs, rule);
      EXPECT_TRUE(std::isfinite(judged.layout) && std::isfinite(judged.spread));
      if (judged.reported) {
        EXPECT_TRUE(std::isfinite(judged.reported->size));
        EXPECT_FALSE(judged.reported->good.empty() || judged.reported->bad.empty());
      }
    }
  }
}

TEST(NightJudge, LongLife_KeepsFewRows) {
  Nights nights;
  nights.quiet(200);
  EXPECT_LE(nights.state.rows.size(), 85U);
}

TEST(NightJudge, Creep_IsFoundBeforeFourPercent) {
  Nights nights;
  nights.quiet(25);
  int night = 0;
  while (nights.night(.001 * ++night).state != NightState::kRegression && night < 100) {
  }
  EXPECT_LT(night, 40);
}

TEST(NightJudge, ManySeries_ShareTheError) {
  EXPECT_EQ(error_of(1), kError);
  EXPECT_EQ(error_of(kManySeries), kError);
  EXPECT_DOUBLE_EQ(error_of(5 * kManySeries), kError / 5);
}

// A small version of nights-simulation.
class NightLives : public ::testing::TestWithParam<Noise> {};

TEST_P(NightLives, NoChange_IsSeldomReported) {
  std::size_t reported = 0;
  std::size_t nights = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Life life = testing_nights::live({.nights = 60}, {.noise = GetParam()}, kSeed + i);
    reported += life.reported;
    nights += life.nights;
  }
  // The goal is 0.5 in 1,000, which are 1.2 here: more than 6 are not chance.
  EXPECT_LE(reported, 6U) << "of " << nights;
}

TEST_P(NightLives, FivePercentStep_IsFoundAndStaysOpen) {
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Life life = testing_nights::live({.nights = 45, .program = {{25, .05}}},
                                           {.noise = GetParam()}, kSeed + i);
    found += life.found_after > 0 && life.found_after <= 2 && life.right_range ? 1 : 0;
    EXPECT_FALSE(life.wrongly_fixed) << i;
  }
  EXPECT_GE(found, 9U);
}

INSTANTIATE_TEST_SUITE_P(AllNoises, NightLives, ::testing::ValuesIn(testing_nights::kNoises),
                         [](const auto& each) {
                           std::string name;
                           for (const char c : testing_nights::name_of(each.param)) {
                             if (c != ' ') name += c;
                           }
                           return name;
                         });

// Without ranks, 7 of 1,000 nights reported a change that did not exist.
TEST(NightLives, BusyCore_StillFindsAQuarter) {
  std::size_t reported = 0;
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    reported +=
        testing_nights::live({.nights = 40}, {.noise = Noise::kBusyCore}, kSeed + i).reported;
    const Life life = testing_nights::live({.nights = 40, .program = {{25, .25}}},
                                           {.noise = Noise::kBusyCore}, kSeed + i);
    found += life.found_after > 0 ? 1 : 0;
  }
  EXPECT_LE(reported, 2U);
  EXPECT_GE(found, 6U);
}

}  // namespace
}  // namespace stepbench::nights
