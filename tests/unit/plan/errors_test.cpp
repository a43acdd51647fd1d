// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void expect_refusal(const std::string& yaml, const std::string& where, const std::string& what) {
  const Refusal refusal = refusal_of(yaml);
  EXPECT_EQ(refusal.where, where) << refusal.what;
  EXPECT_THAT(refusal.what, HasSubstr(what));
}

TEST(ConfigErrors, UnknownKeyNamesTheNearestKeyOfItsSection) {
  expect_refusal("workload: loader\nloader:\n  num_wrokers: 4\n", "sweep.yaml:3:3",
                 "unknown key 'num_wrokers' in section 'loader' (did you mean 'num_workers'?)");
}

TEST(ConfigErrors, UnknownSectionNamesTheNearestOne) {
  expect_refusal("workload: loader\nlaoder: {batch_size: 4}\n", "sweep.yaml:2:1",
                 "unknown key 'laoder' at the top level (did you mean 'loader'?)");
}

TEST(ConfigErrors, KeyOfAnotherSectionIsFoundThere) {
  expect_refusal("workload: loader\ndata: {num_workers: 4}\n", "sweep.yaml:2:8",
                 "(did you mean 'loader.num_workers'?)");
}

TEST(ConfigErrors, OptionWithoutItsSectionIsFoundThere) {
  expect_refusal("workload: loader\nnum_workers: 4\n", "sweep.yaml:2:1",
                 "(did you mean 'loader.num_workers'?)");
}

TEST(ConfigErrors, DottedKeyOutsideSweepIsShownInItsSection) {
  expect_refusal("workload: loader\nloader.num_workers: 4\n", "sweep.yaml:2:1",
                 "'loader.num_workers' stands inside its section: `loader: {num_workers: ...}`");
}

TEST(ConfigErrors, KeyNearNothingListsTheKnownOnes) {
  expect_refusal("workload: loader\nloader: {xyzzy: 4}\n", "sweep.yaml:2:10",
                 "known keys: batch_size, num_workers, prefetch, pin_memory");
}

TEST(ConfigErrors, RepeatedKeyNamesTheFirstLine) {
  expect_refusal("workload: loader\nloader:\n  batch_size: 4\n  batch_size: 8\n", "sweep.yaml:4:3",
                 "repeated key 'batch_size': it stands in line 3 already");
}

TEST(ConfigErrors, RepeatedSectionIsARepeatedKey) {
  expect_refusal("workload: loader\ndata: {}\ndata: {}\n", "sweep.yaml:3:1", "repeated key 'data'");
}

TEST(ConfigErrors, WrongTypeSaysWhatWasExpected) {
  expect_refusal("workload: loader\nloader: {batch_size: many}\n", "sweep.yaml:2:22",
                 "'loader.batch_size': expected an integer in 1 .. 4096, found 'many'");
}

TEST(ConfigErrors, FractionIsNoInteger) {
  expect_refusal("workload: loader\nloader: {batch_size: 4.5}\n", "sweep.yaml:2:22", "found 4.5");
}

TEST(ConfigErrors, QuotedNumberIsAText) {
  expect_refusal("workload: loader\nloader: {batch_size: \"4\"}\n", "sweep.yaml:2:22",
                 "remove the quotes");
}

TEST(ConfigErrors, YesIsNoBool) {
  expect_refusal("workload: loader\nloader: {pin_memory: yes}\n", "sweep.yaml:2:22",
                 "expected true or false, found 'yes'; write true");
}

TEST(ConfigErrors, ListOutsideSweepIsShownTheMatrix) {
  expect_refusal("workload: loader\nloader: {num_workers: [0, 2]}\n", "sweep.yaml:2:23",
                 "to vary it write `sweep: {matrix: {loader.num_workers: [...]}}`");
}

TEST(ConfigErrors, KeyWithoutValueIsWrong) {
  expect_refusal("workload: loader\nloader:\n  batch_size:\n", "sweep.yaml:3:3", "found nothing");
}

TEST(ConfigErrors, SectionThatIsNoGroupIsWrong) {
  expect_refusal("workload: loader\nloader: 4\n", "sweep.yaml:2:9", "'loader' is a section");
}

TEST(ConfigErrors, OutOfRangeNamesTheRange) {
  expect_refusal("workload: loader\nloader: {num_workers: -1}\n", "sweep.yaml:2:23",
                 "expected an integer in 0 .. 1024, found -1");
}

TEST(ConfigErrors, NumberBeyondSixtyFourBitsIsOutOfRange) {
  expect_refusal("workload: loader\nloader: {num_workers: 99999999999999999999}\n",
                 "sweep.yaml:2:23", "expected an integer in 0 .. 1024");
}

TEST(ConfigErrors, InfinityIsNoNumber) {
  expect_refusal("workload: train\nmodel: {width: 1, rate: .inf}\n", "sweep.yaml:2:25",
                 "expected a number in 0 .. 10");
}

TEST(ConfigErrors, UnknownChoiceNamesTheNearest) {
  expect_refusal("workload: loader\ndata: {cost: sleeep}\n", "sweep.yaml:2:14",
                 "expected one of none, sleep, spin, found 'sleeep' (did you mean 'sleep'?)");
}

TEST(ConfigErrors, UnknownWorkloadNamesAll) {
  expect_refusal("workload: trian\n", "sweep.yaml:1:11",
                 "expected one of loader, train, found 'trian' (did you mean 'train'?)");
}

TEST(ConfigErrors, MissingWorkloadNamesAll) {
  expect_refusal("loader: {}\n", "sweep.yaml:1:1",
                 "'workload' is missing: expected one of loader, train");
}

TEST(ConfigErrors, MissingRequiredOptionPointsAtItsSection) {
  expect_refusal("workload: train\nmodel: {rate: 0.5}\n", "sweep.yaml:2:1",
                 "'model.width' is missing: expected an integer >= 1");
}

TEST(ConfigErrors, MissingRequiredOptionWithoutSectionPointsAtTheFile) {
  expect_refusal("workload: train\n", "sweep.yaml", "'model.width' is missing");
}

TEST(ConfigErrors, OptionOfAnotherVariantNamesItsOwner) {
  expect_refusal("workload: loader\ndata: {kind: files, path: /, cost: spin}\n", "sweep.yaml:2:36",
                 "'cost' belongs to data.kind synthetic; this file has files");
}

TEST(ConfigErrors, SectionThatTheWorkloadDoesNotReadIsWrong) {
  expect_refusal("workload: loader\nmodel: {width: 4}\n", "sweep.yaml:2:1",
                 "the workload 'loader' does not read the section 'model'");
}

TEST(ConfigErrors, MissingFolderNamesIt) {
  expect_refusal("workload: loader\ndata: {kind: files, path: /no/such/folder}\n",
                 "sweep.yaml:2:27", "no such file or folder: '/no/such/folder'");
}

TEST(ConfigErrors, AnAddressIsNoFolderButOfAnOptionThatTakesOne) {
  expect_refusal("workload: loader\ndata: {kind: files, path: \"http://host/a.tar\"}\n",
                 "sweep.yaml:2:27", "no such file or folder: 'http://host/a.tar'");
}

TEST(ConfigErrors, EmptyFileSaysWhatIsExpected) {
  expect_refusal("", "sweep.yaml:1:1", "is empty; expected at least `workload: NAME`");
  expect_refusal("# nothing\n", "sweep.yaml:1:1", "is empty");
}

TEST(ConfigErrors, ListAsFileIsWrong) {
  expect_refusal("- a\n- b\n", "sweep.yaml:1:1",
                 "expected keys such as `workload: NAME`, found a list");
}

TEST(ConfigErrors, SetNamesItsFlag) {
  const auto set = [](const char* text) {
    return refusal_of("workload: loader\n",
                      [=](plan::PlanRequest& request) { request.set = {text}; });
  };
  EXPECT_EQ(set("loader.num_wrokers=4").where, "--set loader.num_wrokers");
  EXPECT_THAT(set("loader.num_wrokers=4").what, HasSubstr("did you mean 'loader.num_workers'?"));
  EXPECT_EQ(set("loader.num_workers=-1").where, "--set loader.num_workers");
  EXPECT_THAT(set("loader.num_workers").what, HasSubstr("expected KEY=VALUE"));
}

TEST(ConfigErrors, SetPathMustExist) {
  const Refusal refusal =
      refusal_of("workload: loader\ndata: {kind: files, path: /}\n",
                 [](plan::PlanRequest& request) { request.set = {"data.path=/no/such"}; });
  EXPECT_EQ(refusal.where, "--set data.path");
}

TEST(ConfigErrors, MissingFileIsNamed) {
  const Refusal refusal =
      refusal_of("", [](plan::PlanRequest& request) { request.file = "no/such/sweep.yaml"; });
  EXPECT_EQ(refusal.where, "no/such/sweep.yaml");
  EXPECT_THAT(refusal.what, HasSubstr("cannot be read"));
}

TEST(ConfigErrors, FolderInPlaceOfAFileIsNamed) {
  const Refusal refusal = refusal_of("", [](plan::PlanRequest& request) { request.file = "/"; });
  EXPECT_THAT(refusal.what, HasSubstr("is a folder"));
}

TEST(ConfigErrors, SeveralMistakesComeTogether) {
  const Refusal refusal = refusal_of("workload: loader\nloader: {batch_size: 0, num_wrokers: 1}\n");
  EXPECT_EQ(refusal.where, "sweep.yaml:2:22");
  EXPECT_THAT(refusal.what, HasSubstr("\nsweep.yaml:2:25: unknown key 'num_wrokers'"));
}

TEST(ConfigErrors, ExplicitCudaWithoutADeviceIsWrongButAutoIsNot) {
  expect_refusal("workload: loader\ndevice: cuda:1\n", "sweep.yaml:2:9",
                 "there is no CUDA device here");
  EXPECT_EQ(plan_of("workload: loader\ndevice: auto\n").cases[0].resolved.text("device"), "cpu");
  expect_refusal("workload: loader\ndevice: gpu\n", "sweep.yaml:2:9", "found 'gpu'");
}

TEST(ConfigErrors, RuleErrorsPointAtTheirOption) {
  const WorkloadRule rules[] = {
      {"loader", [](ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
         if (resolved.integer("loader.batch_size") == 3) {
           sink.error("loader.batch_size", "three is odd");
         }
       }}};
  EXPECT_EQ(refusal_of("workload: loader\nloader: {batch_size: 3}\n", {}, rules).where,
            "sweep.yaml:2:22");
  const std::string swept = "workload: loader\nsweep:\n  matrix:\n    loader.batch_size: [1, 3]\n";
  const Refusal refusal = refusal_of(swept, {}, rules);
  EXPECT_EQ(refusal.where, "sweep.yaml:4:28");
  EXPECT_THAT(refusal.what, StartsWith("sweep.yaml:4:28: three is odd"));
}

}  // namespace
}  // namespace stepbench::testing
