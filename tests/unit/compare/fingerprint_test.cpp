// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/same_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace stepbench::compare {
namespace {

using testing::HasSubstr;

struct Side {
  explicit Side(double loss, const char* precision = nullptr) {
    launch.row.report.fingerprint = {{"loss", Value{loss}}, {"gradient_norm", Value{2.0}}};
    if (precision != nullptr) launch.row.options["model.precision"] = std::string(precision);
  }
  [[nodiscard]] CaseLaunches launches() const {
    return {.first = &launch.row, .measured = {&launch}};
  }
  record::Launch launch;
};

std::optional<FingerprintDifference> difference(const Side& a, const Side& b) {
  return fingerprint_difference({a.launches(), b.launches()});
}

TEST(FingerprintCheck, TheLimitFollowsThePrecision) {
  EXPECT_FALSE(difference(Side(1), Side(1.00009)));
  EXPECT_TRUE(difference(Side(1), Side(1.00012)));
  EXPECT_FALSE(difference(Side(1, "tf32"), Side(1.0009, "tf32")));
  EXPECT_TRUE(difference(Side(1, "tf32"), Side(1.0012, "tf32")));
  for (const char* half : {"bf16", "fp16"}) {
    EXPECT_FALSE(difference(Side(1, half), Side(1.019, half)));
    EXPECT_TRUE(difference(Side(1, half), Side(1.022, half)));
  }
}

TEST(FingerprintCheck, TheCoarserPrecisionOfTwoDecides) {
  EXPECT_FALSE(difference(Side(1, "fp32"), Side(1.01, "bf16")));
  EXPECT_EQ(difference(Side(1, "bf16"), Side(1.1, "fp32"))->precision, "bf16");
}

TEST(FingerprintCheck, NamesWhatDiffersAndByHowMuch) {
  const auto found = difference(Side(0.5), Side(0.6));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "loss");
  EXPECT_NEAR(found->relative, 1.0 / 6, 1e-12);
  EXPECT_THAT(to_text(*found), HasSubstr("loss 0.5 and 0.6 differ by 1.7e-01, more than 1e-04"));
}

TEST(FingerprintCheck, ALossThatIsNoNumberDiffersFromOneThatIs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(difference(Side(1), Side(nan)));
  EXPECT_TRUE(difference(Side(nan), Side(1)));
  EXPECT_FALSE(difference(Side(nan), Side(nan)));
}

// A file holds null for a loss that is no finite number.
TEST(FingerprintCheck, ALossThatIsNullDiffersFromOneThatIsANumber) {
  Side diverged(1);
  diverged.launch.row.report.fingerprint["loss"] = Value{};
  const auto found = difference(Side(2.3), diverged);
  ASSERT_TRUE(found);
  EXPECT_THAT(to_text(*found),
              HasSubstr("loss is 2.3 in the base and no finite number in the candidate"));
  ASSERT_TRUE(difference(diverged, Side(2.3)));
  EXPECT_FALSE(difference(diverged, diverged));
}

TEST(FingerprintCheck, WhereNoSideHasAFiniteLossItIsSaid) {
  Side diverged(1);
  diverged.launch.row.report.fingerprint["loss"] = Value{};
  EXPECT_THAT(fingerprint_notes({diverged.launches(), diverged.launches()}),
              testing::ElementsAre(HasSubstr("neither side has a finite loss")));
  EXPECT_THAT(fingerprint_notes({diverged.launches(), Side(1).launches()}), testing::IsEmpty());
}

TEST(FingerprintCheck, WhatASideDoesNotComputeIsNotCompared) {
  Side evaluates(1);
  evaluates.launch.row.report.fingerprint.erase("gradient_norm");
  EXPECT_FALSE(difference(Side(1), evaluates));
  EXPECT_THAT(fingerprint_notes({evaluates.launches(), evaluates.launches()}), testing::IsEmpty());
}

TEST(FingerprintCheck, LaunchesThatDifferAmongThemselvesWidenTheLimit) {
  const Side a(1);
  const Side b(1.002);
  const CaseLaunches both{.first = &a.launch.row, .measured = {&a.launch, &b.launch}};
  const Side near(1.003);
  const Side far(1.006);
  EXPECT_TRUE(difference(a, near));
  EXPECT_FALSE(fingerprint_difference({both, near.launches()}));
  EXPECT_TRUE(fingerprint_difference({both, far.launches()}));
}

// Launches of one side, with these losses.
CaseLaunches launches_of(std::vector<Side>& sides) {
  CaseLaunches all{.first = &sides.front().launch.row};
  for (const Side& side : sides) all.measured.push_back(&side.launch);
  return all;
}

TEST(FingerprintCheck, WhatLaunchesOfTheCandidateDifferByIsNoExcuse) {
  std::vector<Side> base(6, Side(2.3));
  std::vector<Side> scattered;
  for (const double loss : {2.3, 5.0, 6.0, 7.0, 8.0, 10.0}) scattered.emplace_back(loss);
  const auto found = fingerprint_difference({launches_of(base), launches_of(scattered)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidate, 10) << "the launch that is farthest from the base";
  EXPECT_DOUBLE_EQ(found->limit, 1e-4);

  std::vector<Side> mostly_another(5, Side(7.0));
  mostly_another.emplace_back(2.3);
  EXPECT_TRUE(fingerprint_difference({launches_of(base), launches_of(mostly_another)}));
  std::vector<Side> one_another(5, Side(2.3));
  one_another.emplace_back(7.0);
  EXPECT_TRUE(fingerprint_difference({launches_of(base), launches_of(one_another)}));
}

TEST(FingerprintCheck, ABaseWhoseLaunchesDoNotAgreeIsSaid) {
  std::vector<Side> base(5, Side(7.0));
  base.emplace_back(2.3);
  std::vector<Side> candidate(6, Side(7.0));
  EXPECT_THAT(fingerprint_notes({launches_of(base), launches_of(candidate)}),
              testing::ElementsAre("launches of the base do not agree on loss, 2.3 to 7: of the "
                                   "candidate only a larger difference is told"));
  EXPECT_THAT(fingerprint_notes({launches_of(candidate), launches_of(base)}), testing::IsEmpty());
}

TEST(FingerprintCheck, SaysNothingWithoutFingerprints) {
  Side without(1);
  without.launch.row.report.fingerprint.clear();
  EXPECT_FALSE(difference(Side(1), without));
}

}  // namespace
}  // namespace stepbench::compare
