// SPDX-License-Identifier: Apache-2.0
// What a user reads who wrote a value or a name in another way than ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void expect_words(const std::string& yaml, const std::string& where, const std::string& what) {
  const Refusal refusal = refusal_of(yaml, [](plan::PlanRequest& request) {
    request.variables = {{"HOME", "/home/ada"}, {"B", "b"}};
  });
  EXPECT_EQ(refusal.where, where) << yaml << refusal.what;
  EXPECT_THAT(refusal.what, HasSubstr(what)) << yaml;
}

std::string loader_with(const std::string& option) {
  return "workload: loader\nloader: {" + option + "}\n";
}

Value planned(const std::string& yaml, const std::string& name) {
  return plan_of(yaml).cases.front().resolved.options.at(name);
}

TEST(Words, AWholeNumberMayHaveADecimalPoint) {
  EXPECT_EQ(planned(loader_with("batch_size: 8.0"), "loader.batch_size"), Value(std::int64_t{8}));
  EXPECT_EQ(planned(loader_with("batch_size: 1e3"), "loader.batch_size"),
            Value(std::int64_t{1000}));
  expect_words(loader_with("batch_size: 8.5"), "sweep.yaml:2:22", "found 8.5");
}

TEST(Words, ANumberThatNothingHoldsIsTooLarge) {
  expect_words(loader_with("batch_size: 1e309"), "sweep.yaml:2:22",
               "'1e309' is too large for a number");
  expect_words("workload: train\nmodel: {width: 1, rate: 1e309}\n", "sweep.yaml:2:25",
               "'1e309' is too large for a number");
}

TEST(Words, RangesAreWrittenInFull) {
  expect_words("workload: loader\nlaunches: x\n", "sweep.yaml:2:11",
               "expected an integer in 1 .. 10,000, found 'x'");
}

TEST(Words, ATimeIsInSeconds) {
  expect_words("workload: loader\nlimits: {wall_s: 10m}\n", "sweep.yaml:2:18",
               "expected seconds, such as 600, found '10m'");
}

TEST(Words, APatternIsSaidInWords) {
  expect_words("workload: loader\ncompare: {margin: {step: little}}\n", "sweep.yaml:2:26",
               "expected auto, or a share such as 2% or 0.02, found 'little'");
}

TEST(Words, ATabIsCalledATab) {
  expect_words("workload: loader\nloader:\n\tbatch_size: 4\n", "sweep.yaml:3:1",
               "tabs are not allowed for indentation; use spaces");
}

TEST(Words, ATagIsRefused) {
  expect_words(loader_with("batch_size: !foo 8"), "sweep.yaml:2:22", "'!foo' are not supported");
  expect_words("workload: loader\nloader: !bar {batch_size: 8}\n", "sweep.yaml:2:9",
               "'!bar' are not supported");
}

TEST(Words, OtherToolsWordsAreAnsweredWithOurs) {
  expect_words("workload: train\nmodel: {width: 1, learning_rate: 1}\n", "sweep.yaml:2:19",
               "unknown key 'learning_rate' in section 'model' (did you mean 'rate'?)");
  expect_words("workload: train\nlearning_rate: 1\n", "sweep.yaml:2:1",
               "(did you mean 'model.rate'?)");
  expect_words("workload: loader\ndata: {cost: busy-wait}\n", "sweep.yaml:2:14",
               "(did you mean 'spin'?)");
  EXPECT_THAT(refusal_of("workload: train\nmodel: {width: 1}\n",
                         [](plan::PlanRequest& request) { request.set = {"learning_rate=1"}; })
                  .what,
              HasSubstr("did you mean 'model.rate'?"));
}

TEST(Words, AKeyOfAnotherVariantIsSaidBeforeItsFileIsLookedFor) {
  const Refusal refusal =
      refusal_of("workload: loader\ndata: {kind: synthetic, path: /nowhere/at/all}\n");
  EXPECT_THAT(refusal.what, AllOf(HasSubstr("'path' belongs to data.kind files"),
                                  Not(HasSubstr("no such file"))));
}

TEST(Words, AVariableInsideAVariableIsRefused) {
  expect_words("workload: loader\ndata:\n  id: ${A:-${B}}\n", "sweep.yaml:3:7",
               "a ${...} inside a ${...} is not supported");
}

TEST(Words, ABadEnvironmentIsRefusedWithItsPlace) {
  expect_words("workload: loader\nenv: {\"A=B\": 1}\n", "sweep.yaml:2:7",
               "cannot be the name of an environment variable");
  expect_words("workload: loader\nenv: {A: \"x\\0y\"}\n", "sweep.yaml:2:10", "zero byte");
}

TEST(Words, TheHomeFolderIsFilledIn) {
  const auto plan_here = [](const std::string& path) {
    return refusal_of("workload: loader\ndata: {kind: files, path: " + path + "}\n",
                      [](plan::PlanRequest& request) {
                        request.variables = {{"HOME", "/home/ada"}};
                      })
        .what;
  };
  EXPECT_THAT(plan_here("~/none"), HasSubstr("no such file or folder: '/home/ada/none'"));
  EXPECT_THAT(plan_here("~bob/none"), HasSubstr("'~bob': the home folder of another user"));
  EXPECT_THAT(plan_here("$HOME/none"), HasSubstr("'$HOME' is not filled in; write ${HOME}"));
  EXPECT_THAT(plan_here("\"${HOME}/none\""), HasSubstr("'/home/ada/none'"));
  EXPECT_THAT(refusal_of("workload: loader\ndata: {kind: files}\n",
                         [](plan::PlanRequest& request) {
                           request.set = {"data.path=~/none"};
                           request.variables = {{"HOME", "/home/ada"}};
                         })
                  .what,
              HasSubstr("'/home/ada/none'"));
}

TEST(Words, WhatIsMissingHasAPlace) {
  expect_words("name: x\n", "sweep.yaml:1:1", "'workload' is missing");
}

TEST(Words, AKnownKeyIsNamedOnce) {
  const std::string what = refusal_of("workload: loader\nloader: {zebra: 1}\n").what;
  const std::size_t first = what.find("prefetch");
  ASSERT_NE(first, std::string::npos) << what;
  EXPECT_EQ(what.find("prefetch", first + 1), std::string::npos) << what;
}

}  // namespace
}  // namespace stepbench::testing
