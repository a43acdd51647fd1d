// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/ab_campaign.h"
#include "harness/base/error.h"
#include "harness/verdict/comparison.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

// Measures immediately: a case's arms have the given levels and a ripple of +-0.4 %.
class ScriptedArms {
 public:
  explicit ScriptedArms(std::vector<double> effects)
      : effects_(std::move(effects)), samples_(effects_.size()) {}

  void measure(const AbSlot& slot) {
    const double ripple = 0.001 * (static_cast<double>((slot.pair * 7 + slot.b * 5) % 9) - 4);
    const double level = slot.b ? effects_[slot.case_index] : 1;
    PairedSamples& samples = samples_[slot.case_index];
    (slot.b ? samples.candidate : samples.base).push_back(1e7 * level * (1 + ripple));
  }

  // Pairs spread evenly over +-20 %: forty of them decide nothing.
  void make_undecidable(std::size_t index) { undecidable_.insert(index); }
  // The first pairs of a case have no measurement.
  void lose(std::size_t index, std::size_t pairs) { lost_[index] = pairs; }

  [[nodiscard]] AbCampaign::SamplesOf samples() const {
    return [this](std::size_t index, std::size_t pairs) {
      PairedSamples samples = samples_[index];
      EXPECT_LE(samples.base.size(), pairs);
      if (undecidable_.contains(index)) {
        for (std::size_t i = 0; i < samples.candidate.size(); ++i) {
          samples.candidate[i] *= 1 + 0.01 * (static_cast<double>(i * 17 % 41) - 20);
        }
      }
      const auto lost = lost_.find(index);
      for (std::size_t i = 0; lost != lost_.end() && i < lost->second; ++i) {
        samples.base.at(i) = std::numeric_limits<double>::quiet_NaN();
      }
      return std::vector{samples};
    };
  }

 private:
  std::vector<double> effects_;
  std::vector<PairedSamples> samples_;
  std::set<std::size_t> undecidable_;
  std::map<std::size_t, std::size_t> lost_;
};

std::vector<AbSlot> run(AbCampaign& campaign, ScriptedArms& arms) {
  std::vector<AbSlot> slots;
  while (const auto slot = campaign.next(arms.samples())) {
    slots.push_back(*slot);
    arms.measure(*slot);
  }
  return slots;
}

std::string order_of(const std::vector<AbSlot>& slots, std::size_t case_index) {
  std::string order;
  for (const AbSlot& slot : slots) {
    if (slot.case_index == case_index) order += slot.b ? 'B' : 'A';
  }
  return order;
}

TEST(AbCampaign, Seed_SetsTheBlocksOfAbbaAndBaab) {
  const auto order = [](std::uint64_t seed) {
    AbCampaign campaign(with_fixed_pairs(2, 40, seed));
    ScriptedArms arms({1.0, 1.0});
    return order_of(run(campaign, arms), 1);
  };
  ASSERT_EQ(order(7).size(), 80u);
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < 80; i += 4) kinds.insert(order(7).substr(i, 4));
  EXPECT_EQ(kinds, (std::set<std::string>{"ABBA", "BAAB"}));
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
}

TEST(AbCampaign, Cases_AlternateWithinABlock) {
  AbCampaign campaign(with_fixed_pairs(3, 6, 1));
  ScriptedArms arms({1.0, 1.0, 1.0});
  const std::vector<AbSlot> slots = run(campaign, arms);
  ASSERT_EQ(slots.size(), 36u);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i].position, i);
    EXPECT_EQ(slots[i].block, i / 12);
    if (i % 2 == 0) {
      EXPECT_EQ(slots[i].case_index, slots[i + 1].case_index);
      EXPECT_EQ(slots[i].pair, slots[i + 1].pair);
      EXPECT_NE(slots[i].b, slots[i + 1].b);
    }
  }
  EXPECT_EQ(slots[0].case_index, 0u);
  EXPECT_EQ(slots[12].case_index, 1u);  // another case starts each block
}

TEST(AbCampaign, OddPairs_EndWithHalfABlock) {
  AbCampaign campaign(with_fixed_pairs(1, 7, 1));
  ScriptedArms arms({1.0});
  EXPECT_EQ(run(campaign, arms).size(), 14u);
  EXPECT_EQ(campaign.cases()[0].ended_at, 7u);
}

TEST(AbCampaign, DecidedCase_LeavesAtItsLook) {
  AbCampaign campaign(with_looks(3, 3, 5));
  ScriptedArms arms({1.1, 1.0, 1.0});
  arms.make_undecidable(2);
  const std::vector<AbSlot> slots = run(campaign, arms);
  EXPECT_EQ(order_of(slots, 0).size(), 20u);
  EXPECT_EQ(order_of(slots, 1).size(), 20u);
  EXPECT_EQ(order_of(slots, 2).size(), 80u);
  EXPECT_EQ(campaign.cases()[0].ended_at, 10u);
  EXPECT_EQ(campaign.cases()[0].tests.at(0).verdict, Verdict::kRegression);
  EXPECT_EQ(campaign.cases()[1].tests.at(0).verdict, Verdict::kOk);
  EXPECT_EQ(campaign.cases()[2].ended_at, 40u);
  EXPECT_EQ(campaign.cases()[2].tests.at(0).verdict, Verdict::kInconclusive);
}

TEST(AbCampaign, Claim_HasABiasCorrectedSize) {
  AbCampaign campaign(with_looks(2, 2, 5));
  ScriptedArms arms({1.017, 1.0});
  (void)run(campaign, arms);
  const TestResult& claim = campaign.cases()[0].tests.at(0);
  ASSERT_EQ(claim.verdict, Verdict::kRegression);
  ASSERT_TRUE(claim.corrected_change.has_value());
  EXPECT_LT(*claim.corrected_change, *claim.change);
  EXPECT_GE(*claim.corrected_change, 0.0099);
  EXPECT_FALSE(campaign.cases()[1].tests.at(0).corrected_change.has_value()) << "nothing claimed";
}

TEST(AbCampaign, LostPairs_MayEndACase) {
  AbCampaign campaign(with_looks(3, 3, 5));
  ScriptedArms arms({1.1, 1.1, 1.1});
  arms.lose(0, 2);   // a fifth of ten, a tenth of twenty
  arms.lose(1, 5);   // more than a tenth of forty
  arms.lose(2, 10);  // nothing was measured
  (void)run(campaign, arms);
  EXPECT_EQ(campaign.cases()[0].ended_at, 20U);
  EXPECT_EQ(campaign.cases()[0].tests.at(0).verdict, Verdict::kRegression);
  for (const std::size_t index : {1, 2}) {
    EXPECT_EQ(campaign.cases()[index].ended_at, 10U);
    EXPECT_EQ(campaign.cases()[index].tests.at(0).verdict, Verdict::kNoData);
  }
}

TEST(AbCampaign, ManyMetrics_SkipTheFirstLook) {
  EXPECT_EQ(with_looks(5, 10, 0).looks, (std::vector<std::size_t>{10, 20, 40}));
  EXPECT_EQ(with_looks(6, 11, 0).looks, (std::vector<std::size_t>{20, 40}));
}

TEST(AbCampaign, SameResults_GiveTheSameOrder) {
  AbCampaign whole(with_looks(2, 2, 9));
  ScriptedArms arms({1.1, 1.0});
  arms.make_undecidable(1);
  const std::vector<AbSlot> slots = run(whole, arms);
  // Simulates an interruption: a new campaign replays the existing results.
  AbCampaign again(with_looks(2, 2, 9));
  ScriptedArms replayed({1.1, 1.0});
  replayed.make_undecidable(1);
  for (const AbSlot& expected : slots) {
    const auto slot = again.next(replayed.samples());
    ASSERT_TRUE(slot.has_value());
    EXPECT_EQ(slot->case_index, expected.case_index);
    EXPECT_EQ(slot->b, expected.b);
    EXPECT_EQ(slot->pair, expected.pair);
    replayed.measure(*slot);
  }
  EXPECT_FALSE(again.next(replayed.samples()).has_value());
}

TEST(AbCampaign, DecidedCampaign_HasNoLaunchesRemaining) {
  AbCampaign campaign(with_looks(2, 2, 9));
  ScriptedArms arms({1.1, 1.1});
  EXPECT_EQ(campaign.remaining(), 160u);
  EXPECT_EQ(run(campaign, arms).size(), 40u);
  EXPECT_EQ(campaign.remaining(), 0u);
  AbCampaign nothing(with_looks(0, 0, 1));
  EXPECT_FALSE(nothing.next([](std::size_t, std::size_t) { return std::vector<PairedSamples>{}; }));
}

// A campaign of one point in the given order of arms, "ABBA BAAB".
record::Results campaign(const std::string& order) {
  MadeResults made{.cases = {{.case_id = "c", .step_ns = around_10_ms(1, 0)}}, .launches = 100};
  const record::Results rows = make(made);
  record::Results results;
  results.columns = rows.columns;
  int next_a = 0;
  int next_b = 0;
  for (const char arm : order) {
    if (arm == ' ') continue;
    int& next = arm == 'A' ? next_a : next_b;
    record::Launch launch = rows.launches[static_cast<std::size_t>(next)];
    launch.row.key.arm = arm == 'A' ? kArmA : kArmB;
    launch.row.key.launch = next++;
    launch.row.position = static_cast<int>(results.launches.size());
    launch.place = results.launches.size();
    results.launches.push_back(std::move(launch));
  }
  return results;
}

const std::vector<AbPoint> kPoint = {{"c", "c", "c"}};

AbPairs pairs_of(const record::Results& results) { return ab_pairs(results, kPoint).front(); }

TEST(AbPairs, SameNumber_IsAPair) {
  const record::Results results = campaign("ABBA BAAB");
  const AbPairs pairs = pairs_of(results);
  EXPECT_EQ(pairs.pair.base.measured.size(), 4U);
  EXPECT_EQ(pairs.a_first, 2U);
  EXPECT_TRUE(pairs.neighbours);
  EXPECT_EQ(design_of({pairs}), Design::kInterleaved);
}

TEST(AbPairs, FailedHalf_DropsThePair) {
  record::Results results = campaign("ABBA BAAB");
  results.launches[2].row.outcome = Outcome::failed("died");  // B of pair 1
  const AbPairs pairs = pairs_of(results);
  EXPECT_EQ(pairs.dropped, 1U);
  EXPECT_EQ(pairs.pair.base.measured.size(), 3U);
  EXPECT_EQ(pairs.pair.candidate.measured.back()->row.key.launch, 3);
  EXPECT_EQ(pairs.base_launches.size(), 4U) << "the control needs no partner";
  const auto asked = metric_samples(pairs, results.columns, default_metrics());
  EXPECT_EQ(asked.front().samples.base.size(), 4U);
  EXPECT_TRUE(std::isnan(asked.front().samples.candidate.back()));
}

TEST(AbPairs, MissingHalf_IsNoPair) {
  const AbPairs pairs = pairs_of(campaign("ABB"));
  EXPECT_EQ(pairs.pair.base.measured.size(), 1U);
  EXPECT_EQ(pairs.dropped, 0U);
}

TEST(AbPairs, SeveralAttempts_CountTheLast) {
  record::Results results = campaign("ABBA");
  record::Launch again = results.launches[0];
  again.row.attempt = 1;
  results.launches[0].row.outcome = Outcome::failed("died");
  results.launches.push_back(again);
  EXPECT_EQ(pairs_of(results).pair.base.measured.size(), 2U);
}

TEST(AbPairs, ArmsNotAlternating_AreSequential) {
  EXPECT_EQ(design_of(ab_pairs(campaign("AAAABBBB"), kPoint)), Design::kSequential);
  EXPECT_EQ(design_of(ab_pairs(campaign("ABABABABABAB"), kPoint)), Design::kSequential)
      << "A always first: a drift within pairs would look like a change";
}

TEST(AbPairs, SmokeRows_AreRejected) {
  record::Results results = campaign("AB");
  results.launches[0].row.smoke = true;
  EXPECT_THAT([&] { (void)ab_pairs(results, kPoint); },
              ThrowsMessage<ConfigError>(HasSubstr("smoke")));
}

TEST(AbComparison, UnmeasuredCase_IsNotTested) {
  const AbCampaign campaign(with_fixed_pairs(1, 10, 1));
  const std::vector<AbPoint> points = {{.point_id = "p", .a_case = "a", .b_case = "b"}};
  const Comparison comparison = ab_comparison({}, {.campaign = campaign, .points = points}, {});
  EXPECT_EQ(comparison.verdict, Verdict::kNoData);
  EXPECT_EQ(comparison.tested, 0u);
  EXPECT_EQ(comparison.rejected_slower + comparison.rejected_faster, 0u);
}

}  // namespace
}  // namespace stepbench::verdict
