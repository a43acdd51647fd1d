// SPDX-License-Identifier: Apache-2.0
// `ok` means that the typical launch and the mean of what launches cost lie within the margin, by
// simulation: launches that differ by chance, of which some of one side take far longer. Seeded.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/compare/judge.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::compare {
namespace {

using testing_noise::Noise;

constexpr int kOkCampaigns = 5000;

struct OneIn {
  double share = 0;   // of the launches
  double factor = 1;  // by which these take longer
};

class TwoArms {
 public:
  TwoArms(std::uint64_t seed, double cv) : noise_(seed), cv_(cv) {}

  PairedSamples campaign(std::size_t pairs, OneIn slow_base, OneIn slow_candidate) {
    PairedSamples samples{.margin = 0.01};
    for (std::size_t i = 0; i < pairs; ++i) {
      samples.base.push_back(launch(slow_base));
      samples.candidate.push_back(launch(slow_candidate));
    }
    return samples;
  }

 private:
  double launch(OneIn slow) {
    const double level = 1e6 * std::exp(cv_ * noise_.normal());
    return noise_.unit() < slow.share ? level * slow.factor : level;
  }
  Noise noise_;
  double cv_;
};

double share_of(Verdict wanted, std::uint64_t seed, std::size_t pairs, double cv, OneIn slow_base,
                OneIn slow_candidate, Design design = Design::kInterleaved) {
  int said = 0;
  TwoArms arms(seed, cv);
  for (int i = 0; i < kOkCampaigns; ++i) {
    const PairedSamples samples = arms.campaign(pairs, slow_base, slow_candidate);
    said += judge({&samples, 1}, {.design = design}).tests.front().verdict == wanted;
  }
  return static_cast<double>(said) / kOkCampaigns;
}

constexpr OneIn kNone = {};
constexpr OneIn kTenthTwice = {0.1, 2};

TEST(TwoSidedOk, IsSaidOnlyWhereNoneOfTheSlowLaunchesWasMet) {
  for (const Design design : {Design::kInterleaved, Design::kSequential}) {
    for (const std::size_t pairs : {10, 20, 40}) {
      const double none_seen = std::pow(0.9, static_cast<double>(pairs));
      const double of_candidate =
          share_of(Verdict::kOk, 4100 + pairs, pairs, 0.003, kNone, kTenthTwice, design);
      const double of_base =
          share_of(Verdict::kOk, 4200 + pairs, pairs, 0.003, kTenthTwice, kNone, design);
      RecordProperty("ok_slow_candidate_" + std::string(name_of(design)) + std::to_string(pairs),
                     std::to_string(of_candidate));
      EXPECT_LE(of_candidate, none_seen + 0.01) << pairs;
      EXPECT_LE(of_base, none_seen + 0.01) << pairs << ": nor where the base has them";
    }
  }
}

TEST(TwoSidedOk, IsSaidOfEqualArmsAsBefore) {
  EXPECT_GE(share_of(Verdict::kOk, 4301, 10, 0.003, kNone, kNone), 0.99);
  EXPECT_GE(share_of(Verdict::kOk, 4302, 20, 0.01, kNone, kNone), 0.58) << "as before: .63";
  EXPECT_GE(share_of(Verdict::kOk, 4303, 20, 0.003, kNone, kNone, Design::kSequential), 0.99);
}

TEST(TwoSidedOk, SlowLaunchesOfBothSidesAlikeAreNoRegression) {
  const double claimed = share_of(Verdict::kRegression, 4401, 20, 0.003, kTenthTwice, kTenthTwice);
  EXPECT_LE(claimed, 0.001);
}

}  // namespace
}  // namespace stepbench::compare
