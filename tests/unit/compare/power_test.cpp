// SPDX-License-Identifier: Apache-2.0
// What `plan` promises of `compare`, held against its rule by simulation: changes of known size,
// planted into launches that differ by chance. Seeded.
#include "harness/compare/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "harness/compare/judge.h"
#include "harness/stats/random.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr int kComparisons = 400;

class Planted {
 public:
  explicit Planted(std::uint64_t seed) : random_(seed) {}

  // One changed test among others of which none changed.
  std::vector<PairedSamples> family(const ComparisonSize& size, double sd, double change) {
    std::vector<PairedSamples> all;
    for (std::size_t test = 0; test < size.tests; ++test) {
      PairedSamples samples{.margin = size.margin};
      for (std::size_t i = 0; i < size.launches; ++i) {
        samples.base.push_back(launch(sd));
        samples.candidate.push_back(launch(sd) * (test == 0 ? 1 + change : 1));
      }
      all.push_back(std::move(samples));
    }
    return all;
  }

 private:
  double launch(double sd) {
    const double radius = std::sqrt(-2 * std::log(1 - random_.unit()));
    return std::exp(sd * radius * std::cos(2 * std::numbers::pi * random_.unit()));
  }
  stats::Random random_;
};

double share_found(const ComparisonSize& size, double sd, double change) {
  Planted planted(7919 * size.launches + size.tests);
  int found = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const TestFamily family =
        judge(planted.family(size, sd, change), {.design = Design::kSequential});
    found += family.tests[0].verdict == Verdict::kSuspect && family.tests[0].slower;
  }
  return static_cast<double>(found) / kComparisons;
}

TEST(Power, APlantedChangeOfThePromisedSizeIsFoundInAboutFourOfFiveComparisons) {
  for (const ComparisonSize& size :
       {ComparisonSize{.launches = 8, .tests = 1}, ComparisonSize{.launches = 8, .tests = 2},
        ComparisonSize{.launches = 8, .tests = 6}, ComparisonSize{.launches = 12, .tests = 20},
        ComparisonSize{.launches = 6, .tests = 2}, ComparisonSize{.launches = 8, .tests = 100},
        ComparisonSize{.launches = 20, .tests = 2}}) {
    for (const double sd : {0.003, 0.01, 0.05}) {
      const double change = change_found(size, sd).value();
      const double share = share_found(size, sd, change);
      EXPECT_GE(share, 0.68) << size.launches << ' ' << size.tests << ' ' << sd;
      EXPECT_LE(share, 0.99) << size.launches << ' ' << size.tests << ' ' << sd;
      const double half = std::expm1(std::log1p(size.margin) / 2 + std::log1p(change) / 2);
      EXPECT_LE(share_found(size, sd, half), 0.6) << "what is smaller is not";
    }
  }
}

TEST(Power, APlantedChangeOfThePromisedSizeIsFoundByPairsInAboutFourOfFiveCampaigns) {
  for (const std::size_t pairs : {10, 20, 40}) {
    for (const double sd : {0.003, 0.01, 0.05}) {
      const double change = change_found_by_pairs(pairs, sd);
      Planted planted(104'729 * pairs);
      int found = 0;
      for (int i = 0; i < kComparisons; ++i) {
        const auto family = planted.family({.launches = pairs}, sd, change);
        found += judge(family, {}).tests[0].verdict == Verdict::kRegression;
      }
      const double share = static_cast<double>(found) / kComparisons;
      EXPECT_GE(share, 0.72) << pairs << ' ' << sd;
      EXPECT_LE(share, 0.90) << pairs << ' ' << sd;
    }
  }
}

TEST(Power, SixLaunchesProveNoChangeOfAnySizeAmongTwentyFourTestsAndEightDo) {
  const ComparisonSize six{.launches = 6, .tests = 24};
  EXPECT_FALSE(change_found(six, 0.01));
  EXPECT_LE(share_found(six, 0.01, 1.0), 0.06) << "where chance makes another one small, too";
  EXPECT_TRUE(change_found({.launches = 6, .tests = 23}, 0.01));
  EXPECT_GE(share_found({.launches = 8, .tests = 24}, 0.01, 0.05), 0.95);
}

TEST(Power, AChangeWithinTheMarginIsNeverPromised) {
  EXPECT_NEAR(change_found({.launches = 8, .tests = 2}, 0).value(), 0.01, 1e-12);
  EXPECT_GT(change_found({.launches = 8, .tests = 2}, 0.001).value(), 0.01);
}

TEST(Power, TheSpreadOfLaunchesIsThatOfTheCasesThatArePlanned) {
  const record::Results results = testing_compare::make(
      {.cases = {{.case_id = "aaaa", .step_ns = [](int launch) { return 1000 + launch % 2; }},
                 {.case_id = "bbbb", .step_ns = [](int) { return 1000; }}}});
  EXPECT_THAT(launch_spreads(results, {"aaaa"}),
              ElementsAre(Pair("aaaa", ::testing::DoubleNear(0.0005, 0.0001))));
  EXPECT_THAT(launch_spreads(results, {"cccc"}), ElementsAre());
}

}  // namespace
}  // namespace stepbench::compare
