// SPDX-License-Identifier: Apache-2.0
// What is advised of launches and steps, held against the verdict's own rule: the advised launches
// are drawn, with the change planted, and judged. Seeded.
#include "harness/compare/launch_design.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/compare/judge.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::compare {
namespace {

double launch_sd_at(const estimate::CaseNoise& noise, double steps) {
  return std::hypot(noise.launch_sd, *noise.step_sd / std::sqrt(steps));
}

using testing_noise::Noise;

estimate::CaseNoise noise(double launch_sd, double step_sd, double overhead_ns = 2e9) {
  return {.launches = 10,
          .steps = 60,
          .total_sd = std::hypot(launch_sd, step_sd / std::sqrt(60)),
          .step_sd = step_sd,
          .launch_sd = launch_sd,
          .overhead_ns = overhead_ns,
          .step_ns = 1e7};
}

// Of comparisons whose launches are drawn step by step.
double share_found(const estimate::CaseNoise& model, const LaunchDesign& design, double change) {
  constexpr int kComparisons = 300;
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
  for (int i = 0; i < kComparisons; ++i) {
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
  return static_cast<double>(found) / kComparisons;
}

TEST(LaunchDesign, TheAdvisedLaunchesFindTheChangeInAboutFourOfFiveComparisons) {
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

TEST(LaunchDesign, NothingCheaperFindsIt) {
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

TEST(LaunchDesign, TheSlowerALaunchBeginsTheMoreStepsItIsGiven) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  const auto quick = designs.cheapest(noise(0.004, 0.06, 1e8));
  const auto slow = designs.cheapest(noise(0.004, 0.06, 3e10));
  ASSERT_TRUE(quick && slow);
  EXPECT_GT(slow->steps, quick->steps);
  EXPECT_LT(slow->launches, quick->launches);
}

TEST(LaunchDesign, NoNumberOfStepsMendsLaunchesThatDiffer) {
  const LaunchDesigns designs({.tests = 2}, 0.02);
  EXPECT_FALSE(designs.cheapest(noise(0.2, 0.01)));
  EXPECT_TRUE(LaunchDesigns({.tests = 2}, 0.3).cheapest(noise(0.2, 0.01)));
}

TEST(LaunchDesign, WithoutWhatALaunchCostsThereIsNoAdvice) {
  estimate::CaseNoise unknown = noise(0.004, 0.06);
  unknown.overhead_ns.reset();
  EXPECT_FALSE(LaunchDesigns({.tests = 2}, 0.02).cheapest(unknown));
}

}  // namespace
}  // namespace stepbench::compare
