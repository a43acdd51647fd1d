// SPDX-License-Identifier: Apache-2.0
// How often `ab` with looks after 10, 20 and 40 pairs claims a change that there is not, and says
// `ok` where there is none, by simulation. Seeded; the table of results/verdict_simulation.md.
#include <gtest/gtest.h>

#include <string>

#include "harness/compare/judge.h"
#include "tests/unit/compare/drawn_machine.h"

namespace stepbench::compare {
namespace {

using testing_compare::Machine;

constexpr int kLookedAt = 4000;

struct Said {
  double claims = 0;  // share of campaigns that end with a regression or an improvement
  double ok = 0;
};

Said said_of(double effect, bool tails, std::uint64_t seed) {
  Said said;
  for (int i = 0; i < kLookedAt; ++i) {
    Machine machine(seed + static_cast<std::uint64_t>(i), tails);
    PairedSamples samples{.margin = 0.01};
    Verdict verdict = Verdict::kInconclusive;
    for (const std::size_t look : {10, 20, 40}) {
      while (samples.base.size() < look) machine.block(effect, samples);
      verdict = judge({&samples, 1}, rule_of_a_look()).tests.front().verdict;
      if (verdict != Verdict::kInconclusive) break;
    }
    said.claims += verdict == Verdict::kRegression || verdict == Verdict::kImprovement;
    said.ok += verdict == Verdict::kOk;
  }
  return {said.claims / kLookedAt, said.ok / kLookedAt};
}

TEST(FalseClaims, OfAbAreRareWhereTheArmsAreEqualAndAtTheMarginAsSeldomAsAnEndIsPassedByChance) {
  struct Truth {
    std::string name;
    double effect;
    bool tails;
    double most_claims;
  };
  std::uint64_t seed = 280'000'000;
  for (const Truth& truth :
       {Truth{"equal", 1, false, 0.001}, Truth{"equal_tails", 1, true, 0.002},
        Truth{"margin", 1.01, false, 0.035}, Truth{"margin_tails", 1.01, true, 0.035},
        Truth{"minus_margin", 0.99, false, 0.035},
        Truth{"minus_margin_tails", 0.99, true, 0.035}}) {
    const Said said = said_of(truth.effect, truth.tails, seed += 1'000'000);
    RecordProperty("claims_" + truth.name, std::to_string(said.claims));
    RecordProperty("ok_" + truth.name, std::to_string(said.ok));
    EXPECT_LE(said.claims, truth.most_claims) << truth.name;
    if (truth.effect != 1) {
      EXPECT_LE(said.ok, 0.04) << truth.name;
    }
  }
}

}  // namespace
}  // namespace stepbench::compare
