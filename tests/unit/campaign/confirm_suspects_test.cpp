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
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/campaign/confirm_campaign.h"
#include "harness/machine/environment.h"
#include "harness/record/reader.h"
#include "harness/track/bridge.h"
#include "tests/temporary_folder.h"

namespace stepbench::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// A night on the stub worker whose program differs from the last good one, and what is said of its
// suspects. Builds of the worker are shell scripts that start it with another speed.
class ConfirmBench {
 public:
  explicit ConfirmBench(const std::string& yaml)
      : context_{.built_in = {.catalogue = no_workloads_},
                 .argv = {"stepbench", "test"},
                 .variables = {{"PATH", "/usr/bin:/bin"}},
                 .stepbench_version = "0.0.0"},
        yaml_(yaml) {
    folder.write("config.yaml", yaml);
  }

  // A build of the stub worker: `settings` as "STUB_SLOWER=1.03", `before`: lines of the script.
  fs::path make_build(const std::string& name, const std::string& settings = {},
                      const std::string& before = {}) const {
    const std::string file = "builds/" + name + "/worker";
    folder.write(file, "#!/bin/sh\n# build " + name + "\n" + before + settings + " exec " +
                           STUB_WORKER + " \"$@\"\n");
    fs::permissions(folder / file, fs::perms::owner_all);
    return folder / file;
  }

  // Every case of tonight, its step slower; both nights are of this machine.
  [[nodiscard]] campaign::ConfirmRequest request(const fs::path& good, const fs::path& tonight) {
    campaign::ConfirmRequest request{.tonight = night("20260203-010000-confirm", tonight),
                                     .good = night("20260202-010000-confirm", good),
                                     .results = (folder / "results").string(),
                                     .lock = campaign::LockPolicy::kNone,
                                     .allow = {"load", "steal", "drift"},
                                     .who = "tester"};
    const run::WorkerProgram program{tonight, request.tonight.build_id};
    for (const std::string& id :
         campaign::plannable_cases(request.tonight, program, context_).case_ids) {
      request.suspects.push_back({.series = "series of " + id, .case_id = id, .metric = "step_ns"});
    }
    return request;
  }

  [[nodiscard]] campaign::ConfirmedNight confirm(const campaign::ConfirmRequest& request) {
    track::TrackStore store = open_store();
    run::Progress progress{out_, {}, clock_};
    run::Interrupts interrupts;
    return campaign::confirm_suspects(request, store, context_, progress, interrupts, clock_);
  }
  [[nodiscard]] std::string said() const { return out_.str(); }
  [[nodiscard]] track::TrackStore open_store() const {
    return track::TrackStore::open("sqlite:" + (folder / "history.db").string());
  }

  test::TemporaryFolder folder;

 private:
  [[nodiscard]] track::TrackedRun night(const std::string& run_id, const fs::path& worker) const {
    return {.run_id = run_id,
            .started_utc = "2026-02-03T01:00:00Z",
            .experiment = "confirm",
            .host = machine::host_name("/"),
            .build_id = run::program_build_id(worker),
            .worker_path = worker.string(),
            .config_path = "config.yaml",
            .config_text = yaml_,
            .config_hash = digest(yaml_),
            .asked = {.folder = folder.path().string()}};
  }

  Catalogue no_workloads_;
  campaign::CampaignContext context_;
  HostClock clock_;
  std::string yaml_;
  std::ostringstream out_;
};

constexpr const char* kOneCase =
    "name: confirm\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "stub: {jitter: 0.01}\n";

const std::string kSlow = "STUB_SLOWER=1.03";

std::string state_of(const campaign::ConfirmedNight& night) {
  return night.series.empty() ? "" : std::string(track::name_of(night.series.front().state));
}

constexpr std::size_t kAll = track::kConfirmPairs;
constexpr std::size_t kFirst = track::kLooks[0];
const std::string kTorch = " STUB_TORCH=2.10.0";

// One series, two programs, and what is said of it.
class ConfirmSuspects : public ::testing::Test {
 protected:
  // By the settings of the builds; `before`: lines of the good one's script.
  campaign::ConfirmRequest ask(const std::string& good, const std::string& tonight,
                               const std::string& before = {}) {
    const std::string number = std::to_string(++builds_);
    return bench.request(bench.make_build("good" + number, good, before),
                         bench.make_build("tonight" + number, tonight));
  }
  // `why`: a part of it; `pairs`: of each measurement; `size`: of the first one, 0 is any.
  void expect(campaign::ConfirmRequest request, const std::string& state, const std::string& why,
              const std::vector<std::size_t>& pairs = {}, double size = 0) {
    request.reuse = false;
    const campaign::ConfirmedNight night = bench.confirm(request);
    SCOPED_TRACE("build " + std::to_string(builds_) + ": " + bench.said());
    EXPECT_EQ(state_of(night), state);
    const campaign::ConfirmedSeries& one = night.series.at(0);
    EXPECT_THAT(one.why, HasSubstr(why));
    std::vector<std::size_t> measured;
    for (const track::ConfirmAnswer& answer : one.answers) measured.push_back(answer.pairs);
    EXPECT_EQ(measured, pairs) << one.why;
    if (state == "not-reproduced") {
      EXPECT_THAT(one.cause, IsEmpty());
    }
    if (size != 0) {
      EXPECT_NEAR(one.answers.at(0).change, size, 0.01);
    }
  }
  ConfirmBench bench{kOneCase};

 private:
  int builds_ = 0;
};

TEST_F(ConfirmSuspects, ThatDiffer_AreSeenInTheDirectionSuspected) {
  expect(ask("", ""), "not-reproduced", "", {kFirst});
  campaign::ConfirmRequest request = ask("", "STUB_SLOWER=0.95");
  expect(request, "not-reproduced", "", {kFirst});
  request.suspects.front().higher = false;
  expect(request, "improvement", "", {kAll, kAll});
  request.bridge = true;
  request.pairs = track::kBridgePairs;
  request.confirmations = 1;
  request.suspects.front().higher = true;
  expect(request, "reproduced", "", {track::kBridgePairs}, -0.05);
}

TEST_F(ConfirmSuspects, MeasuredOnce_AreReproducedAndNoRegression) {
  campaign::ConfirmRequest request = ask("", kSlow);
  request.confirmations = 1;
  expect(request, "reproduced", "", {kAll});
  request = ask("", kSlow);
  request.suspects.front().confirmations = 1;  // of an earlier night
  expect(request, "regression", "", {kAll});
  request = ask("", kSlow);
  request.relinked = bench.make_build("relinked").string();
  expect(request, "reproduced", "not with the relinked program", {kAll, kFirst});
  request = ask("", kSlow);
  request.suspects.front().margin = 0.05;
  expect(request, "not-reproduced", "", {kFirst}, 0.03);
}

TEST_F(ConfirmSuspects, OnOtherSoftware_AreNotBlamedForIt) {
  expect(ask("STUB_LOSS=0.6", kSlow), "environment-change",
         "the sides do not compute the same: loss 0.6 and 0.5 differ");
  expect(ask("STUB_TORCH=2.9.0", kTorch), "environment-change",
         "torch is 2.9.0 for the last good build and 2.10.0 for tonight's");
  campaign::ConfirmRequest request = ask("STUB_SLOWER=1.10" + kTorch, "STUB_SLOWER=1.1" + kTorch);
  request.good->environment["torch"] = std::string("2.9.0");
  expect(request, "not-reproduced", "", {kFirst});  // torch did it
  request.tonight.environment["torch"] = std::string("2.9.0");
  expect(request, "environment-change", "torch was 2.9.0 and is now");
  request = ask("STUB_SLOWER=1.00" + kTorch, "STUB_SLOWER=1.05" + kTorch);
  request.good->environment["torch"] = std::string("2.9.0");
  expect(request, "regression", "", {kAll, kAll});  // the program did it
}

TEST_F(ConfirmSuspects, OfWhichTheGoodOneDoesNotRun_BlameNobody) {
  expect(ask("", "", "exit 7\n"), "environment-change",
         "the last good build cannot measure tonight's experiment");
  expect(ask("", "", "case \"$1\" in --control*) exit 7;; esac\n"), "environment-change",
         "the last good build no longer runs here");
  expect(ask("STUB_LACKS=jitter", ""), "environment-change", "jitter");
}

TEST_F(ConfirmSuspects, ThatCannotBeMeasured_StayOpenWithTheReason) {
  campaign::ConfirmRequest request = ask("", kSlow);
  request.good.reset();
  expect(request, "suspect", "--good PATH");
  request = ask("", kSlow);
  request.tonight.host = "elsewhere";
  expect(request, "suspect", "can only be confirmed there");
  request.good = request.tonight = ask("", kSlow).tonight;
  expect(request, "not-reproduced", "the same build");
  request = bench.request(bench.make_build("gone"), bench.make_build("tonight", kSlow));
  bench.make_build("gone", "STUB_SLOWER=1.01");  // built anew in the same place
  expect(request, "suspect", "is no longer on disk: rebuild it, or confirm by hand");
}

// Both programs of the second campaign run at fresh paths, which are gone afterwards.
TEST_F(ConfirmSuspects, ReproducedTwice_IsARegressionWithSizeAndCause) {
  const fs::path good = bench.make_build("good");
  const fs::path tonight = bench.make_build("tonight", kSlow);
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

TEST_F(ConfirmSuspects, ALookTakesOutTheCaseThatIsNotSlowerAndLeavesTheOther) {
  ConfirmBench own(
      "name: confirm\n"
      "workload: stub\n"
      "schedule: {wait: 0, warmup: 1, active: 5}\n"
      "stub: {jitter: 0.01}\n"
      "sweep: {matrix: {stub.step_us: [1000, 3000]}}\n");
  const fs::path good = own.make_build("good");
  campaign::ConfirmRequest request = own.request(good, own.make_build("tonight", kSlow));
  ASSERT_THAT(request.suspects, SizeIs(2));
  request.suspects[1].higher = false;  // it rose, and is suspected to have fallen
  const campaign::ConfirmedNight night = own.confirm(request);
  EXPECT_EQ(night.series[0].state, track::AlertState::kRegression);
  EXPECT_EQ(night.series[0].answers[0].pairs, track::kConfirmPairs);
  EXPECT_EQ(night.series[1].state, track::AlertState::kNotReproduced);
  EXPECT_EQ(night.series[1].answers[0].pairs, track::kLooks[0]);
}

TEST_F(ConfirmSuspects, EachMeasurementNamesTheProgramsThatItMeasured) {
  campaign::ConfirmRequest request = ask("", kSlow);
  const campaign::ConfirmedSeries copied = bench.confirm(request).series.front();
  ASSERT_THAT(copied.builds, SizeIs(2));
  EXPECT_EQ(copied.builds[0], copied.builds[1]) << "the same bytes at another path";
  request.relinked = bench.make_build("relinked", kSlow).string();
  const campaign::ConfirmedSeries relinked = bench.confirm(request).series.front();
  ASSERT_THAT(relinked.builds, SizeIs(2));
  EXPECT_EQ(relinked.builds[0], copied.builds[0]);
  EXPECT_NE(relinked.builds[1], copied.builds[0]) << "another pair";
}

TEST_F(ConfirmSuspects, MetricsOtherThanTheStepArePairedToo) {
  campaign::ConfirmRequest request = ask("", "STUB_SLOWER=1.05");
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

TEST_F(ConfirmSuspects, BothBuildsMeasureAsManyStepsAsTheNightWhereTheirNumberIsLeftOpen) {
  ConfirmBench own(
      "name: confirm\nworkload: stub\n"
      "schedule: {wait: 0, warmup: 1, active: auto, precision: 0.02}\n");
  campaign::ConfirmRequest request =
      own.request(own.make_build("good"), own.make_build("tonight", kSlow));
  request.confirmations = 1;
  request.suspects.front().steps = 7;
  const campaign::ConfirmedNight night = own.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced") << night.series.front().why;
  for (const record::Launch& launch : record::read_results(night.campaigns.at(0).folder).launches) {
    if (launch.row.key.pass != Pass::kTiming) continue;
    EXPECT_EQ(text_of(launch.row.options, "schedule.active"), "7");
    EXPECT_EQ(launch.samples.at(0).steps.steps(), 7U);
  }
}

TEST_F(ConfirmSuspects, ACaseThatIsGoneFromThePlanStaysOpenAndTheOthersAreMeasured) {
  campaign::ConfirmRequest request = ask("", kSlow);
  request.confirmations = 1;
  request.suspects.push_back(
      {.series = "gone", .case_id = "0123456789abcdef", .metric = "step_ns"});
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(night.series[0].state, track::AlertState::kReproduced) << night.series[0].why;
  EXPECT_EQ(night.series[1].state, track::AlertState::kSuspect);
  EXPECT_THAT(night.series[1].why, HasSubstr("no longer has this case"));
}

TEST_F(ConfirmSuspects, AKeptBuildIsMeasuredWhereTheProgramOfTheNightIsGone) {
  const fs::path good = bench.make_build("good");
  campaign::ConfirmRequest request = bench.request(good, bench.make_build("tonight", kSlow));
  request.confirmations = 1;
  const fs::path kept = bench.folder / "kept-worker";
  fs::rename(good, kept);
  bench.open_store().keep_build({.build_id = request.good->build_id, .worker = kept});
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "reproduced") << night.series.front().why;
  EXPECT_EQ(night.campaigns.at(0).good_worker, kept.string());
}

TEST_F(ConfirmSuspects, ANoisyMachineMakesItInvalidAndNotASlowBuild) {
  ConfirmBench own(
      "name: confirm\nworkload: stub\nschedule: {wait: 0, warmup: 1, active: 2}\n"
      "stub: {jitter: 0.9}\n");
  const campaign::ConfirmRequest request =
      own.request(own.make_build("good"), own.make_build("tonight", "STUB_SLOWER=1.10"));
  const campaign::ConfirmedNight night = own.confirm(request);
  EXPECT_EQ(state_of(night), "invalid");
  EXPECT_THAT(night.series.front().why, HasSubstr("arm A"));
  ASSERT_FALSE(night.campaigns.at(0).gates.empty());
  EXPECT_EQ(night.campaigns.at(0).gates.front().name, "noise");
  EXPECT_NE(own.confirm(request).campaigns.at(0).folder, night.campaigns.at(0).folder)
      << "what said nothing is measured anew: " << own.said();
}

TEST_F(ConfirmSuspects, WhatAnotherProcessConfirmsIsLeftToIt) {
  const campaign::ConfirmRequest request = ask("", kSlow);
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

TEST_F(ConfirmSuspects, AnInterruptedConfirmationGoesOnWhereItWas) {
  const campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"),
                    bench.make_build("tonight", kSlow, signals_at_the_ninth_launch(bench, "INT")));
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

TEST_F(ConfirmSuspects, WhatAKilledProcessMeasuredIsKeptAndItsClaimIsTakenOver) {
  const campaign::ConfirmRequest request =
      bench.request(bench.make_build("good"),
                    bench.make_build("tonight", kSlow, signals_at_the_ninth_launch(bench, "KILL")));
  const int status = status_of(confirm_elsewhere(bench, request));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const campaign::ConfirmedNight night = bench.confirm(request);
  EXPECT_EQ(state_of(night), "regression") << night.series.front().why;
  ASSERT_THAT(night.campaigns, SizeIs(2));
  EXPECT_TRUE(night.campaigns.front().resumed);
}

TEST_F(ConfirmSuspects, OfTwoProcessesOneMeasuresAndTheOtherSaysSo) {
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

TEST_F(ConfirmSuspects, AskedAgainItJudgesTheSameLaunchesUnlessItIsToMeasureAnew) {
  campaign::ConfirmRequest request = ask("", "");
  const campaign::ConfirmedNight night = bench.confirm(request);
  const campaign::ConfirmedNight again = bench.confirm(request);
  EXPECT_EQ(state_of(again), "not-reproduced");
  EXPECT_EQ(again.campaigns.at(0).folder, night.campaigns.at(0).folder);
  request.reuse = false;
  EXPECT_NE(bench.confirm(request).campaigns.at(0).folder, night.campaigns.at(0).folder);
}

TEST_F(ConfirmSuspects, AProgramThatIsNoneIsRefused) {
  campaign::ConfirmRequest request = ask("", "");
  request.good_worker = (bench.folder / "nothing").string();
  EXPECT_THAT([&] { (void)bench.confirm(request); },
              ThrowsMessage<ConfigError>(HasSubstr("nothing")));
}

}  // namespace
}  // namespace stepbench::testing
