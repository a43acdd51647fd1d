// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/exit_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepbench::compare {
namespace {

int code(std::vector<Verdict> verdicts, bool allow_inconclusive = false) {
  std::vector<TestResult> tests(verdicts.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) tests[i].verdict = verdicts[i];
  return exit_code({.tests = tests, .allow_inconclusive = allow_inconclusive});
}

int suspect(bool slower, bool allow_inconclusive = false) {
  const std::vector<TestResult> one{{.verdict = Verdict::kSuspect, .slower = slower}};
  return exit_code({.tests = one, .allow_inconclusive = allow_inconclusive});
}

TEST(ExitCode, OkAndImprovedAreZero) {
  EXPECT_EQ(code({Verdict::kOk}), 0);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kImprovement}), 0);
}

TEST(ExitCode, AConfirmedRegressionIsOneWhateverElse) {
  EXPECT_EQ(code({Verdict::kOk, Verdict::kRegression, Verdict::kInconclusive}), 1);
  EXPECT_EQ(code({Verdict::kNoData, Verdict::kRegression}), 1);
}

TEST(ExitCode, InconclusiveIsThreeUnlessAllowed) {
  EXPECT_EQ(code({Verdict::kOk, Verdict::kInconclusive}), 3);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kInconclusive}, true), 0);
}

TEST(ExitCode, ASlowerSuspectIsThreeAndAFasterOneZero) {
  EXPECT_EQ(suspect(true), 3);
  EXPECT_EQ(suspect(true, true), 0);
  EXPECT_EQ(suspect(false), 0);
}

TEST(ExitCode, NothingMeasuredIsNeverGreen) {
  EXPECT_EQ(code({}), 4);
  EXPECT_EQ(code({}, true), 4);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kNoData}), 4);
  EXPECT_EQ(code({Verdict::kInconclusive, Verdict::kInvalid}), 4);
  const std::vector<TestResult> fine{{.verdict = Verdict::kOk}};
  EXPECT_EQ(exit_code({.tests = fine, .missing_cases = true}), 4);
}

TEST(ExitCode, AnInvalidCampaignVoidsEvenARegression) {
  const std::vector<TestResult> one{{.verdict = Verdict::kRegression}};
  EXPECT_EQ(exit_code({.tests = one, .campaign_invalid = true}), 4);
}

TEST(Overall, IsTheVerdictThatDecided) {
  std::vector<TestResult> tests(2);
  tests[0].verdict = Verdict::kImprovement;
  tests[1].verdict = Verdict::kOk;
  EXPECT_EQ(overall({.tests = tests}), Verdict::kImprovement);
  tests[1].verdict = Verdict::kRegression;
  EXPECT_EQ(overall({.tests = tests}), Verdict::kRegression);
}

}  // namespace
}  // namespace stepbench::compare
