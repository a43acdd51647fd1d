// SPDX-License-Identifier: Apache-2.0
// What the rules promise, by simulation: processes with a CV of 1 % on a machine whose level walks
// at random by 0.3 % per process, measured in ABBA and BAAB blocks of random order. Seeded; 20,000
// trials of each figure.
#include <gtest/gtest.h>

#include <vector>

#include "harness/compare/judge.h"
#include "tests/unit/compare/drawn_machine.h"

namespace stepbench::compare {
namespace {

using testing_compare::Machine;

constexpr int kTrials = 20000;

TestResult judged(const PairedSamples& samples, const VerdictRule& rule = {}) {
  return judge(std::span(&samples, 1), rule).tests[0];
}

bool covers(const stats::Interval& interval, double change) {
  return interval.low <= change && change <= interval.high;
}

struct Shares {
  double claims = 0;    // p below the level
  double coverage = 0;  // of the true effect by the interval
};

Shares with_fixed_pairs(std::uint64_t seed, std::size_t pairs, double effect) {
  Shares shares;
  for (int trial = 0; trial < kTrials; ++trial) {
    Machine machine(seed + static_cast<std::uint64_t>(trial));
    const TestResult test = judged(machine.campaign(pairs, effect));
    shares.claims += test.p <= 0.05;
    shares.coverage += covers(test.interval, effect - 1);
  }
  return {shares.claims / kTrials, shares.coverage / kTrials};
}

TEST(Simulation, FixedPairsKeepTheirLevelAndCoverage) {
  for (const std::size_t pairs : {10, 20}) {
    const Shares shares = with_fixed_pairs(1000000 * pairs, pairs, 1);
    RecordProperty("false_claims_" + std::to_string(pairs), std::to_string(shares.claims));
    RecordProperty("coverage_" + std::to_string(pairs), std::to_string(shares.coverage));
    EXPECT_GE(shares.claims, 0.035) << pairs;
    EXPECT_LE(shares.claims, 0.060) << pairs;
    EXPECT_GE(shares.coverage, 0.940) << pairs;
    EXPECT_LE(shares.coverage, 0.965) << pairs;
  }
}

TEST(Simulation, FixedPairsFindWhatTheyPromise) {
  const Shares one_percent = with_fixed_pairs(71000000, 20, 1.01);
  const Shares two_percent = with_fixed_pairs(72000000, 10, 1.02);
  RecordProperty("one_percent_at_20", std::to_string(one_percent.claims));
  RecordProperty("two_percent_at_10", std::to_string(two_percent.claims));
  EXPECT_GE(one_percent.claims, 0.80);
  EXPECT_GE(two_percent.claims, 0.95);
}

// Stops at the first of the looks that claims a difference; without a margin, so that every claim
// counts.
TEST(Simulation, ThreeLooksTogetherKeepTheLevel) {
  int claims = 0;
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Machine machine(81000000 + static_cast<std::uint64_t>(trial));
    PairedSamples samples{.margin = 0};
    TestResult test;
    for (const std::size_t look : {10, 20, 40}) {
      while (samples.base.size() < look) machine.block(1, samples);
      test = judged(samples, rule_of_a_look());
      if (test.verdict == Verdict::kRegression || test.verdict == Verdict::kImprovement) {
        ++claims;
        break;
      }
    }
    covered += covers(test.interval, 0);
  }
  RecordProperty("false_claims", std::to_string(claims));
  RecordProperty("covered", std::to_string(covered));
  EXPECT_LE(claims, 0.055 * kTrials);
  EXPECT_GE(covered, 0.935 * kTrials);
}

// The rule as it is used: a case leaves when it is decided, ok included.
TEST(Simulation, CoverageHoldsWhenDecidedCasesLeave) {
  for (const double effect : {1.0, 1.01, 1.02}) {
    int covered = 0;
    for (int trial = 0; trial < kTrials / 2; ++trial) {
      Machine machine(91000000 + static_cast<std::uint64_t>(trial));
      PairedSamples samples{.margin = 0.01};
      TestResult test;
      for (const std::size_t look : {10, 20, 40}) {
        while (samples.base.size() < look) machine.block(effect, samples);
        test = judged(samples, rule_of_a_look());
        if (test.verdict != Verdict::kInconclusive) break;
      }
      covered += covers(test.interval, effect - 1);
    }
    EXPECT_GE(covered, 0.935 * kTrials / 2) << effect;
  }
}

struct Found {
  double slowed = 0;          // share of the slowed cases called a regression
  double false_families = 0;  // share of families with a false regression or improvement
};

Found over_a_hundred_cases(std::uint64_t seed, double effect) {
  constexpr int kFamilies = 200;
  constexpr std::size_t kCases = 100;
  constexpr std::size_t kSlowed = 5;
  Found found;
  for (int trial = 0; trial < kFamilies; ++trial) {
    std::vector<PairedSamples> family;
    for (std::size_t i = 0; i < kCases; ++i) {
      Machine machine(seed + static_cast<std::uint64_t>(trial) * kCases + i);
      family.push_back(machine.campaign(20, i < kSlowed ? effect : 1, 0.01));
    }
    const TestFamily verdicts = judge(family, {});
    bool false_claim = false;
    for (std::size_t i = 0; i < kCases; ++i) {
      const Verdict verdict = verdicts.tests[i].verdict;
      if (i < kSlowed) {
        found.slowed += verdict == Verdict::kRegression;
      } else {
        false_claim |= verdict == Verdict::kRegression || verdict == Verdict::kImprovement;
      }
    }
    found.false_families += false_claim;
  }
  return {found.slowed / (kFamilies * kSlowed), found.false_families / kFamilies};
}

TEST(Simulation, TheFullRuleFindsTwoAndThreePercentAmongAHundredCases) {
  const Found two_percent = over_a_hundred_cases(101000000, 1.02);
  const Found three_percent = over_a_hundred_cases(102000000, 1.03);
  RecordProperty("two_percent", std::to_string(two_percent.slowed));
  RecordProperty("three_percent", std::to_string(three_percent.slowed));
  EXPECT_GE(two_percent.slowed, 0.75);
  EXPECT_GE(three_percent.slowed, 0.99);
  EXPECT_LE(two_percent.false_families, 0.03);
  EXPECT_LE(three_percent.false_families, 0.03);
}

}  // namespace
}  // namespace stepbench::compare
