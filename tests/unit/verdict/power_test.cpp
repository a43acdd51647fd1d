// SPDX-License-Identifier: Apache-2.0
// The promises of `plan` about `compare`, checked against its rule by simulation: changes of known
// size planted into launches with noise. Seeded.
#include <numbers>

#include "harness/stats/random.h"
#include "harness/verdict/detectable_change.h"
#include "harness/verdict/internal/judge.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

constexpr int kComparisons = 400;

class Planted {
 public:
  explicit Planted(std::uint64_t seed) : random_(seed) {}

  // One changed test among unchanged ones.
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

TEST(Power, PromisedSize_IsFoundInFourOfFive) {
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

TEST(Power, PromisedSize_IsFoundByPairs) {
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

TEST(Power, SixLaunches_CannotProve24Tests) {
  const ComparisonSize six{.launches = 6, .tests = 24};
  EXPECT_FALSE(change_found(six, 0.01));
  EXPECT_LE(share_found(six, 0.01, 1.0), 0.06) << "where chance makes another one small, too";
  EXPECT_TRUE(change_found({.launches = 6, .tests = 23}, 0.01));
  EXPECT_GE(share_found({.launches = 8, .tests = 24}, 0.01, 0.05), 0.95);
}

TEST(Power, ChangeWithinMargin_IsNotPromised) {
  EXPECT_NEAR(change_found({.launches = 8, .tests = 2}, 0).value(), 0.01, 1e-12);
  EXPECT_GT(change_found({.launches = 8, .tests = 2}, 0.001).value(), 0.01);
}

TEST(Power, Spread_IsOfThePlannedCases) {
  const record::Results results =
      make({.cases = {{.case_id = "aaaa", .step_ns = [](int launch) { return 1000 + launch % 2; }},
                      {.case_id = "bbbb", .step_ns = [](int) { return 1000; }}}});
  EXPECT_THAT(launch_spreads(results, {"aaaa"}),
              ElementsAre(Pair("aaaa", ::testing::DoubleNear(0.0005, 0.0001))));
  EXPECT_THAT(launch_spreads(results, {"cccc"}), ElementsAre());
}

// The advised launches and steps are drawn with the planted change, and judged.
double launch_sd_at(const estimate::CaseNoise& noise, double steps) {
  return std::hypot(noise.launch_sd, *noise.step_sd / std::sqrt(steps));
}

estimate::CaseNoise noise(double launch_sd, double step_sd, double overhead_ns = 2e9) {
  return {.launches = 10,
          .steps = 60,
          .total_sd = std::hypot(launch_sd, step_sd / std::sqrt(60)),
          .step_sd = step_sd,
          .launch_sd = launch_sd,
          .overhead_ns = overhead_ns,
          .step_ns = 1e7};
}

// Share of comparisons whose launches are drawn step by step.
double share_found(const estimate::CaseNoise& model, const LaunchDesign& design, double change) {
  constexpr int kDesigns = 300;
  Noise random(61'007 + design.launches);
  const auto launch = [&](double factor) {
    const double level = factor * std::exp(model.launch_sd * random.normal());
    double sum = 0;
    for (std::int64_t step = 0; step < design.steps; ++step) {
      sum += level * (1 + *model.step_sd * random.normal());
    }
    return sum / static_cast<double>(design.steps);
  };
  int found = 0;
  for (int i = 0; i < kDesigns; ++i) {
    std::vector<PairedSamples> family(2);
    for (PairedSamples& test : family) {
      const bool changed = &test == &family.front();
      for (std::size_t pair = 0; pair < design.launches; ++pair) {
        test.base.push_back(launch(1));
        test.candidate.push_back(launch(changed ? 1 + change : 1));
      }
    }
    const TestFamily judged = judge(family, {.design = Design::kSequential});
    found += judged.tests[0].verdict == Verdict::kSuspect && judged.tests[0].slower;
  }
  return static_cast<double>(found) / kDesigns;
}

TEST(LaunchDesign, Advice_FindsFourOfFive) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  for (const estimate::CaseNoise& model :
       {noise(0.003, 0.05), noise(0.008, 0.02), noise(0.001, 0.1)}) {
    const auto best = designs.cheapest(model);
    ASSERT_TRUE(best);
    const double share = share_found(model, *best, 0.02);
    EXPECT_GE(share, 0.68) << best->launches << " of " << best->steps;
    EXPECT_LE(share, 0.97) << best->launches << " of " << best->steps;
  }
}

TEST(LaunchDesign, NoCheaperDesign_FindsIt) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  const estimate::CaseNoise model = noise(0.004, 0.06);
  const auto best = designs.cheapest(model);
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->cost_ns,
              cost_ns(model, static_cast<double>(best->launches), static_cast<double>(best->steps)),
              1);
  for (double steps = 20; steps < 2000; steps += 20) {
    std::size_t launches = 4;
    const auto finds = [&] {
      const auto found =
          change_found({.launches = launches, .tests = 2}, launch_sd_at(model, steps));
      return found && *found <= 0.02;
    };
    while (launches < 200 && !finds()) ++launches;
    EXPECT_GE(cost_ns(model, static_cast<double>(launches), steps), best->cost_ns * 0.9) << steps;
  }
}

TEST(LaunchDesign, SlowStart_GetsMoreSteps) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  const auto quick = designs.cheapest(noise(0.004, 0.06, 1e8));
  const auto slow = designs.cheapest(noise(0.004, 0.06, 3e10));
  ASSERT_TRUE(quick && slow);
  EXPECT_GT(slow->steps, quick->steps);
  EXPECT_LT(slow->launches, quick->launches);
}

TEST(LaunchDesign, DifferingLaunches_NeedMoreThanSteps) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  EXPECT_FALSE(designs.cheapest(noise(0.2, 0.01)));
  EXPECT_TRUE(LaunchDesigns({.tests = 2}, 0.3).cheapest(noise(0.2, 0.01)));
}

TEST(LaunchDesign, UnknownCost_GivesNoAdvice) {
  estimate::CaseNoise unknown = noise(0.004, 0.06);
  unknown.overhead_ns.reset();
  EXPECT_FALSE(LaunchDesigns({.tests = 2}, 0.02).cheapest(unknown));
}

}  // namespace
}  // namespace stepbench::verdict
