// SPDX-License-Identifier: Apache-2.0
// Confirmations on the stub worker: two builds of it, one slower than the other, measured in turns
// on its scripted clock.
#include "harness/campaign/confirm_suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "harness/base/error.h"
#include "harness/record/reader.h"
#include "harness/track/bridge.h"
#include "tests/unit/campaign/confirm_bench.h"

namespace stepbench::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr const char* kOneCase =
    "name: confirm\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "stub: {jitter: 0.01}\n";

std::string state_of(const campaign::ConfirmedNight& night) {
  return night.series.empty() ? "" : std::string(name_of(night.series.front().state));
}

TEST(ConfirmSuspects, WhatIsReproducedTwiceIsARegressionWithItsSizeAndCause) {
  ConfirmBench bench(kOneCase);
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", "STUB_SLOWER=1.03");
  const campaign::ConfirmedNight night = bench.confirm(bench.request(good, tonight));
  ASSERT_THAT(night.series, SizeIs(1));
  const campaign::ConfirmedSeries& one = night.series.front();
  EXPECT_EQ(one.state, track::AlertState::kRegression) << one.why;
  EXPECT_THAT(one.why, IsEmpty());
  ASSERT_THAT(one.answers, SizeIs(2));
  for (const track::ConfirmAnswer& answer : one.answers) {
    EXPECT_TRUE(answer.reproduced);
    EXPECT_NEAR(answer.change, 0.03, 0.001);
    EXPECT_EQ(answer.pairs, track::kConfirmPairs);
  }
  EXPECT_NEAR(one.tonight_value.value() / one.good_value.value(), 1.03, 0.001);
  ASSERT_FALSE(one.cause.empty());
  EXPECT_EQ(one.cause.front().phase, "backward");
  EXPECT_NE(night.good_build, night.tonight_build);
}

TEST(ConfirmSuspects, TheSecondCampaignRunsBothProgramsAtFreshPathsThatAreGoneAfterwards) {
  ConfirmBench bench(kOneCase);
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", "STUB_SLOWER=1.03");
  const campaign::ConfirmedNight night = bench.confirm(bench.request(good, tonight));
  ASSERT_THAT(night.campaigns, SizeIs(2));
  const campaign::ConfirmCampaign& first = night.campaigns[0];
  const campaign::ConfirmCampaign& second = night.campaigns[1];
  EXPECT_EQ(first.good_worker, good.string());
  EXPECT_NE(second.good_worker, first.good_worker);
  EXPECT_NE(second.tonight_worker, first.tonight_worker);
  EXPECT_NE(second.good_worker.size(), second.tonight_worker.size());
  EXPECT_FALSE(fs::exists(second.good_worker));
  EXPECT_THAT(first.folder.filename().string(), HasSubstr("-confirm-confirm"));
  EXPECT_NE(first.folder, second.folder);
  const record::Results results = record::read_results(second.folder);
  EXPECT_EQ(text_of(results.runs.at(0).context, "confirm"), "20260203-010000-confirm");
  EXPECT_EQ(text_of(results.runs.at(0).context, "confirm_number"), "2");
  EXPECT_EQ(text_of(results.runs.at(0).labels, "confirm"), "20260203-010000-confirm");
}

TEST(ConfirmSuspects, WhatIsNotThereAgainIsNotReproducedAndNotMeasuredASecondTime) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmedNight night =
      bench.confirm(bench.request(bench.make_build("good"), bench.make_build("tonight")));
  EXPECT_EQ(state_of(night), "not-reproduced");
  EXPECT_THAT(night.campaigns, SizeIs(1));
  EXPECT_THAT(night.series.front().cause, IsEmpty());
  ASSERT_THAT(night.series.front().answers, SizeIs(1));
  EXPECT_EQ(night.series.front().answers[0].pairs, track::kLooks[0]) << "the first look is enough";
}

TEST(ConfirmSuspects, ALookTakesOutTheCaseThatIsNotSlowerAndLeavesTheOther) {
  ConfirmBench bench(
      "name: confirm\n"
      "workload: stub\n"
      "schedule: {wait: 0, warmup: 1, active: 5}\n"
      "stub: {jitter: 0.01}\n"
      "sweep: {matrix: {stub.step_us: [1000, 3000]}}\n");
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", "STUB_SLOWER=1.03");
  campaign::ConfirmRequest request = bench.request(good, tonight);
  ASSERT_THAT(request.suspects, SizeIs(2));
  request.suspects[1].higher = false;  // it rose, and is suspected to have fallen
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(night.series[0].state, track::AlertState::kRegression);
  EXPECT_EQ(night.series[0].answers[0].pairs, track::kConfirmPairs);
  EXPECT_EQ(night.series[1].state, track::AlertState::kNotReproduced);
  EXPECT_EQ(night.series[1].answers[0].pairs, track::kLooks[0]);
}

TEST(ConfirmSuspects, OnlyTheDirectionThatWasSuspectedIsReproduced) {
  ConfirmBench bench(kOneCase);
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", "STUB_SLOWER=0.95");
  EXPECT_EQ(state_of(bench.confirm(bench.request(good, tonight))), "not-reproduced");
  campaign::ConfirmRequest faster = bench.request(good, tonight);
  faster.suspects.front().higher = false;
  EXPECT_EQ(state_of(bench.confirm(faster)), "improvement");
}

TEST(ConfirmSuspects, WithOneConfirmationItIsReproducedAndNoRegression) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.confirmations = 1;
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced");
  EXPECT_THAT(night.campaigns, SizeIs(1));
}

TEST(ConfirmSuspects, ARelinkedProgramThatIsNotSlowerLeavesItReproducedOnce) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.relinked = bench.make_build("relinked").string();
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced");
  EXPECT_THAT(night.series.front().why, HasSubstr("not with the relinked program"));
  EXPECT_THAT(night.series.front().answers, SizeIs(2));
}

TEST(ConfirmSuspects, EachMeasurementNamesTheProgramsThatItMeasured) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  const campaign::ConfirmedSeries copied = bench.confirm(request).series.front();
  ASSERT_THAT(copied.builds, SizeIs(2));
  EXPECT_EQ(copied.builds[0], copied.builds[1]) << "the same bytes at another path";
  request.relinked = bench.make_build("relinked", "STUB_SLOWER=1.03").string();
  const campaign::ConfirmedSeries relinked = bench.confirm(request).series.front();
  ASSERT_THAT(relinked.builds, SizeIs(2));
  EXPECT_EQ(relinked.builds[0], copied.builds[0]);
  EXPECT_NE(relinked.builds[1], copied.builds[0]) << "another pair";
}

TEST(ConfirmSuspects, AGoodProgramThatComputesSomethingElseBlamesNobody) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmedNight night = bench.confirm(bench.request(
      bench.make_build("good", "STUB_LOSS=0.6"), bench.make_build("tonight", "STUB_SLOWER=1.03")));
  EXPECT_EQ(state_of(night), "environment-change");
  EXPECT_THAT(night.series.front().why,
              HasSubstr("the sides do not compute the same: loss 0.6 and 0.5 differ"));
  EXPECT_THAT(night.series.front().answers, IsEmpty());
}

TEST(ConfirmSuspects, WhatLiesWithinTheMarginOfItsSeriesIsNotReproduced) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.suspects.front().margin = 0.05;
  const campaign::ConfirmedNight within = bench.confirm(request);
  EXPECT_EQ(state_of(within), "not-reproduced");
  EXPECT_NEAR(within.series.front().answers.at(0).change, 0.03, 0.005);
  EXPECT_EQ(within.series.front().answers.at(0).pairs, 6U) << "the first look is enough";
}

TEST(ConfirmSuspects, WhatWasReproducedBeforeIsMeasuredOnceMore) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.suspects.front().confirmations = 1;
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "regression");
  ASSERT_THAT(night.campaigns, SizeIs(1));
  EXPECT_EQ(night.campaigns.front().number, 2);
}

TEST(ConfirmSuspects, MetricsOtherThanTheStepArePairedToo) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.05"));
  const campaign::Suspect step = request.suspects.front();
  campaign::Suspect rate = step;
  rate.metric = "samples_per_s";
  rate.direction = Direction::kHigherIsBetter;
  rate.higher = false;
  campaign::Suspect phase = step;
  phase.metric = "phase.forward";
  campaign::Suspect unknown = step;
  unknown.metric = "no_such_metric";
  request.suspects = {rate, phase, unknown};
  request.confirmations = 1;
  const campaign::ConfirmedNight night = bench.confirm(request);
  ASSERT_THAT(night.series, SizeIs(3));
  EXPECT_EQ(night.series[0].state, track::AlertState::kReproduced) << night.series[0].why;
  EXPECT_NEAR(night.series[0].answers.at(0).change, 1 / 1.05 - 1, 0.001);
  EXPECT_EQ(night.series[1].state, track::AlertState::kReproduced) << night.series[1].why;
  EXPECT_EQ(night.series[2].state, track::AlertState::kInvalid);
  EXPECT_THAT(night.series[2].why, HasSubstr("no metric is named 'no_such_metric'"));
}

TEST(ConfirmSuspects, BothBuildsMeasureAsManyStepsAsTheNightWhereTheirNumberIsLeftOpen) {
  ConfirmBench bench(
      "name: confirm\nworkload: stub\n"
      "schedule: {wait: 0, warmup: 1, active: auto, precision: 0.02}\n");
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.confirmations = 1;
  request.suspects.front().steps = 7;
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced") << night.series.front().why;
  for (const record::Launch& launch : record::read_results(night.campaigns.at(0).folder).launches) {
    if (launch.row.key.pass != Pass::kTiming) continue;
    EXPECT_EQ(text_of(launch.row.options, "schedule.active"), "7");
    EXPECT_EQ(launch.samples.at(0).steps.steps(), 7U);
  }
}

TEST(ConfirmSuspects, ANightOnAnotherTorchHoldsBothProgramsAgainstEachOtherOnThatTorch) {
  ConfirmBench bench(kOneCase);
  const std::string torch = " STUB_TORCH=2.10.0";
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good", "STUB_SLOWER=1.10" + torch),
                    bench.make_build("tonight", "STUB_SLOWER=1.1" + torch));
  request.good->environment["torch"] = std::string("2.9.0");
  EXPECT_EQ(state_of(bench.confirm(request)), "not-reproduced") << "torch did it";
  request = bench.request(bench.make_build("good", "STUB_SLOWER=1.00" + torch),
                          bench.make_build("tonight", "STUB_SLOWER=1.05" + torch));
  request.good->environment["torch"] = std::string("2.9.0");
  EXPECT_EQ(state_of(bench.confirm(request)), "regression") << "the program did it";
}

TEST(ConfirmSuspects, ATorchThatChangedSinceTonightsRunSaysNothing) {
  ConfirmBench bench(kOneCase);
  const std::string slow = "STUB_SLOWER=1.10 STUB_TORCH=2.10.0";
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good", slow), bench.make_build("tonight", slow + "1"));
  request.tonight.environment["torch"] = std::string("2.9.0");
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "environment-change");
  EXPECT_THAT(night.series.front().why, HasSubstr("torch was 2.9.0 and is now"));
}

TEST(ConfirmSuspects, ABridgeHoldsTonightAgainstTheKeptProgramInAFewPairs) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("kept"), bench.make_build("tonight", "STUB_SLOWER=0.95"));
  request.bridge = true;
  request.pairs = track::kBridgePairs;
  request.confirmations = 1;
  const campaign::ConfirmedNight night = bench.confirm(request);
  ASSERT_THAT(night.series.front().answers, SizeIs(1)) << night.series.front().why;
  const track::ConfirmAnswer& answer = night.series.front().answers.front();
  EXPECT_TRUE(answer.reproduced) << "either way";
  EXPECT_NEAR(answer.change, -0.05, 0.01);
  EXPECT_EQ(answer.pairs, track::kBridgePairs);
}

TEST(ConfirmSuspects, BuildsOnDifferentSoftwareAreNotBlamedForIt) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmedNight night =
      bench.confirm(bench.request(bench.make_build("good", "STUB_TORCH=2.9.0"),
                                  bench.make_build("tonight", "STUB_TORCH=2.10.0")));
  EXPECT_EQ(state_of(night), "environment-change");
  EXPECT_THAT(night.series.front().why,
              HasSubstr("torch is 2.9.0 for the last good build and 2.10.0 for tonight's"));
}

TEST(ConfirmSuspects, ABuildThatDoesNotStartAnyMoreIsNoRegressionOfTonights) {
  ConfirmBench bench(kOneCase);
  const fs::path tonight = bench.make_build("tonight");
  const campaign::ConfirmedNight silent =
      bench.confirm(bench.request(bench.make_build("silent", "", "exit 7\n"), tonight));
  EXPECT_EQ(state_of(silent), "environment-change");
  EXPECT_THAT(silent.series.front().why,
              AllOf(HasSubstr("the last good build cannot measure tonight's experiment"),
                    HasSubstr("ended with status 7")));
  const campaign::ConfirmedNight dies = bench.confirm(bench.request(
      bench.make_build("dies", "", "case \"$1\" in --control*) exit 7;; esac\n"), tonight));
  EXPECT_EQ(state_of(dies), "environment-change");
  EXPECT_THAT(dies.series.front().why, HasSubstr("the last good build no longer runs here"));
}

TEST(ConfirmSuspects, ABuildThatDoesNotKnowTheOptionsIsNoRegressionOfTonights) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmedNight night = bench.confirm(
      bench.request(bench.make_build("good", "STUB_LACKS=jitter"), bench.make_build("tonight")));
  EXPECT_EQ(state_of(night), "environment-change");
  EXPECT_THAT(night.series.front().why, HasSubstr("jitter"));
}

TEST(ConfirmSuspects, ACaseThatIsGoneFromThePlanStaysOpenAndTheOthersAreMeasured) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.confirmations = 1;
  request.suspects.push_back(
      {.series = "gone", .case_id = "0123456789abcdef", .metric = "step_ns"});
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(night.series[0].state, track::AlertState::kReproduced) << night.series[0].why;
  EXPECT_EQ(night.series[1].state, track::AlertState::kSuspect);
  EXPECT_THAT(night.series[1].why, HasSubstr("no longer has this case"));
}

TEST(ConfirmSuspects, WithoutABuildToMeasureAgainstASuspectStaysOpenAndIsToldWhatToDo) {
  ConfirmBench bench(kOneCase);
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", "STUB_SLOWER=1.03");
  campaign::ConfirmRequest request = bench.request(good, tonight);
  request.good.reset();
  const campaign::ConfirmedNight none = bench.confirm(request);
  EXPECT_EQ(state_of(none), "suspect");
  EXPECT_THAT(none.series.front().why, HasSubstr("--good PATH"));

  request = bench.request(good, tonight);
  bench.make_build("good", "STUB_SLOWER=1.01");  // built anew in the same place
  const campaign::ConfirmedNight gone = bench.confirm(request);
  EXPECT_EQ(state_of(gone), "suspect");
  EXPECT_THAT(gone.series.front().why,
              AllOf(HasSubstr("is no longer on disk: rebuild it, or confirm by hand"),
                    HasSubstr("--keep-worker")));
  EXPECT_THAT(gone.campaigns, IsEmpty());
}

TEST(ConfirmSuspects, AKeptBuildIsMeasuredWhereTheProgramOfTheNightIsGone) {
  ConfirmBench bench(kOneCase);
  const fs::path good = bench.make_build("good");
  campaign::ConfirmRequest request =
      bench.request(good, bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.confirmations = 1;
  const fs::path kept = bench.folder / "kept-worker";
  fs::rename(good, kept);
  bench.open_store().keep_build({.build_id = request.good->build_id, .worker = kept});
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced") << night.series.front().why;
  EXPECT_EQ(night.campaigns.at(0).good_worker, kept.string());
}

TEST(ConfirmSuspects, TheSameBuildInBothNightsIsNeverBlamed) {
  ConfirmBench bench(kOneCase);
  const fs::path worker = bench.make_build("both", "STUB_SLOWER=1.03");
  const campaign::ConfirmedNight night = bench.confirm(bench.request(worker, worker));
  EXPECT_EQ(state_of(night), "not-reproduced");
  EXPECT_THAT(night.series.front().why, HasSubstr("the same build"));
  EXPECT_THAT(night.campaigns, IsEmpty());
}

TEST(ConfirmSuspects, ANightOfAnotherMachineIsLeftToIt) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  request.tonight.host = "elsewhere";
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "suspect");
  EXPECT_THAT(night.series.front().why, HasSubstr("can only be confirmed there"));
}

// Both builds meet the same noise, launch by launch.
TEST(ConfirmSuspects, OnANoisyMachine_PairsDecide) {
  ConfirmBench bench(
      "name: confirm\nworkload: stub\nschedule: {wait: 0, warmup: 1, active: 2}\n"
      "stub: {jitter: 0.9}\n");
  const campaign::ConfirmedNight night = bench.confirm(
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.10")));
  EXPECT_EQ(state_of(night), "regression") << night.series.front().why;
  ASSERT_FALSE(night.campaigns.at(0).gates.empty());
  EXPECT_EQ(night.campaigns.at(0).gates.front().name, "noise");
}

TEST(ConfirmSuspects, WhatSaidNothing_IsMeasuredAnew) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"),
                    bench.make_build("tonight", "", "case \"$1\" in --control*) exit 3;; esac\n"));
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "invalid");
  EXPECT_THAT(night.series.front().why, HasSubstr("tonight's build fails"));
  EXPECT_NE(bench.confirm(request).campaigns.at(0).folder, night.campaigns.at(0).folder)
      << bench.said();
}

TEST(ConfirmSuspects, WhatAnotherProcessConfirmsIsLeftToIt) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight", "STUB_SLOWER=1.03"));
  const std::string what =
      "confirm " + request.tonight.run_id + " " + request.suspects.front().case_id;
  ASSERT_TRUE(bench.open_store().claim(what, "somebody on elsewhere #1.2", std::chrono::hours(1)));
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "suspect");
  EXPECT_THAT(night.series.front().why, HasSubstr("another process is confirming"));
  bench.open_store().release(what, "somebody on elsewhere #1.2");
  EXPECT_EQ(state_of(bench.confirm(request)), "regression");
  EXPECT_TRUE(bench.open_store().claim(what, "the next", std::chrono::hours(1)))
      << "given back at the end";
}

// Sends this signal to the process that measures, at its ninth launch.
std::string signals_at_the_ninth_launch(const ConfirmBench& bench, const std::string& signal) {
  const std::string count = (bench.folder / "launches").string();
  return "case \"$1\" in --control*) echo x >> '" + count + "'\n[ $(wc -l < '" + count +
         "') -eq 9 ] && kill -" + signal + " $PPID;; esac\n";
}

TEST(ConfirmSuspects, AnInterruptedConfirmationGoesOnWhereItWas) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmRequest request = bench.request(
      bench.make_build("good"),
      bench.make_build("tonight", "STUB_SLOWER=1.03", signals_at_the_ninth_launch(bench, "INT")));
  const campaign::ConfirmedNight cut = bench.confirm(request);
  ASSERT_TRUE(cut.signal.has_value());
  EXPECT_EQ(state_of(cut), "suspect");
  EXPECT_THAT(cut.series.front().why, HasSubstr("the next check goes on with "));
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_FALSE(night.signal.has_value());
  EXPECT_EQ(state_of(night), "regression") << night.series.front().why;
  ASSERT_THAT(night.campaigns, SizeIs(2));
  EXPECT_TRUE(night.campaigns[0].resumed);
  EXPECT_FALSE(night.campaigns[1].resumed);
  EXPECT_THAT(cut.series.front().why, EndsWith(night.campaigns[0].folder.string()));
}

// Confirms in a process of its own, as another check does.
pid_t confirm_elsewhere(ConfirmBench& bench, const campaign::ConfirmRequest& request) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const bool regression = state_of(bench.confirm(request)) == "regression";
  ::_exit(regression ? 0 : 1);
}

int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(ConfirmSuspects, WhatAKilledProcessMeasuredIsKeptAndItsClaimIsTakenOver) {
  ConfirmBench bench(kOneCase);
  const campaign::ConfirmRequest request = bench.request(
      bench.make_build("good"),
      bench.make_build("tonight", "STUB_SLOWER=1.03", signals_at_the_ninth_launch(bench, "KILL")));
  const int status = status_of(confirm_elsewhere(bench, request));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "regression") << night.series.front().why;
  ASSERT_THAT(night.campaigns, SizeIs(2));
  EXPECT_TRUE(night.campaigns.front().resumed);
}

TEST(ConfirmSuspects, OfTwoProcessesOneMeasuresAndTheOtherSaysSo) {
  ConfirmBench bench(kOneCase);
  const std::string begun = (bench.folder / "begun").string();
  const std::string go = (bench.folder / "go").string();
  const fs::path waits =
      bench.make_build("tonight", "STUB_SLOWER=1.03",
                       "case \"$1\" in --control*) : > '" + begun + "'\nwhile [ ! -e '" + go +
                           "' ]; do sleep 0.02; done;; esac\n");
  const campaign::ConfirmRequest request = bench.request(bench.make_build("good"), waits);
  const pid_t child = confirm_elsewhere(bench, request);
  for (int i = 0; i < 6000 && !fs::exists(begun); ++i) ::usleep(10'000);
  ASSERT_TRUE(fs::exists(begun));
  const campaign::ConfirmedNight night = bench.confirm(request);
  bench.folder.write("go", std::string_view());
  EXPECT_EQ(state_of(night), "suspect");
  EXPECT_THAT(night.series.front().why, HasSubstr("another process is confirming"));
  EXPECT_THAT(night.campaigns, IsEmpty());
  const int status = status_of(child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(ConfirmSuspects, AskedAgainItJudgesTheSameLaunchesUnlessItIsToMeasureAnew) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight"));
  const campaign::ConfirmedNight night = bench.confirm(request);
  const campaign::ConfirmedNight again = bench.confirm(request);
  EXPECT_EQ(state_of(again), "not-reproduced");
  EXPECT_EQ(again.campaigns.at(0).folder, night.campaigns.at(0).folder);
  request.reuse = false;
  EXPECT_NE(bench.confirm(request).campaigns.at(0).folder, night.campaigns.at(0).folder);
}

TEST(ConfirmSuspects, AProgramThatIsNoneIsRefused) {
  ConfirmBench bench(kOneCase);
  campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"), bench.make_build("tonight"));
  request.good_worker = (bench.folder / "nothing").string();
  EXPECT_THAT([&] { (void)bench.confirm(request); },
              ThrowsMessage<ConfigError>(HasSubstr("nothing")));
}

}  // namespace
}  // namespace stepbench::testing
