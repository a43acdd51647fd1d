// SPDX-License-Identifier: Apache-2.0
// Error rates of verdicts on time / steps of a launch for any shape of steps, by simulation:
// launches with a standard deviation of 0.5 % and about 50 steps each. Seeded; 500 campaigns per
// number.
#include "harness/stats/order_statistics.h"
#include "harness/verdict/internal/judge.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::verdict {
namespace {

using Steps = std::function<std::vector<double>(Noise&)>;
using Estimate = double (*)(const std::vector<double>&);

constexpr int kMeanTrials = 500;

double mean(const std::vector<double>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
}
double middle(const std::vector<double>& steps) { return stats::median(steps); }

std::vector<double> even(Noise& noise) { return noise.autoregressive(50, 0, 0.02); }
std::vector<double> wandering(Noise& noise) { return noise.autoregressive(50, 0.5, 0.05); }
std::vector<double> lockstep(Noise& noise) { return noise.lockstep(13, 4, 0.05); }

// One launch whose workers take `effect` times as long; batches that are ready at once cost the
// same.
double launch(Noise& noise, const Steps& steps, Estimate estimate, double effect) {
  const double level = std::exp(0.005 * noise.normal());
  std::vector<double> taken = steps(noise);
  for (double& step : taken) step *= level * (step < 100 ? 1 : effect);
  return estimate(taken);
}

// Share of campaigns in which a change beyond 1 % is claimed.
double claims(const Steps& steps, std::size_t pairs, double effect, Estimate estimate = mean) {
  int claimed = 0;
  for (int trial = 0; trial < kMeanTrials; ++trial) {
    Noise noise(41000 + static_cast<std::uint64_t>(trial));
    PairedSamples samples{.margin = 0.01};
    for (std::size_t i = 0; i < pairs; ++i) {
      samples.base.push_back(launch(noise, steps, estimate, 1));
      samples.candidate.push_back(launch(noise, steps, estimate, effect));
    }
    const Verdict verdict = judge({&samples, 1}, {}).tests.front().verdict;
    claimed += verdict == Verdict::kRegression || verdict == Verdict::kImprovement;
  }
  return static_cast<double>(claimed) / kMeanTrials;
}

TEST(MeanEstimate, EqualSides_SeldomDiffer) {
  for (const auto& steps : {even, wandering, lockstep}) {
    EXPECT_LE(claims(steps, 10, 1), 0.045);
    EXPECT_LE(claims(steps, 20, 1), 0.03);
  }
}

TEST(MeanEstimate, TwoPercentOfEvenSteps_AreFound) {
  const double ten = claims(even, 10, 1.02);
  RecordProperty("power_even_2_percent_10_pairs", std::to_string(ten));
  EXPECT_GE(ten, 0.85);
  EXPECT_GE(claims(even, 20, 1.02), 0.99);
}

TEST(MeanEstimate, LockstepLoader_IsFound) {
  const double twenty = claims(lockstep, 20, 1.05);
  RecordProperty("power_lockstep_5_percent_20_pairs", std::to_string(twenty));
  EXPECT_GE(twenty, 0.95);
  EXPECT_LE(claims(lockstep, 20, 1.05, middle), 0.01);
}

TEST(MeanEstimate, FivePercentOfWanderingSteps_AreFound) {
  EXPECT_GE(claims(wandering, 20, 1.05), 0.95);
}

}  // namespace
}  // namespace stepbench::verdict
