// SPDX-License-Identifier: Apache-2.0
// A run cut off at any moment loses nothing that was finished, leaves nothing behind, and is
// completed by --resume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <fstream>
#include <map>
#include <random>

#include "harness/machine/environment.h"
#include "harness/os/text_file.h"
#include "harness/record/writer.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kLaunches = 12;
constexpr const char* kSweep =
    "name: cut\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 10}\n"
    "stub: {clock: host}\n"
    "sweep: {matrix: {stub.samples: [1, 2, 3, 4, 5, 6]}}\n";

std::map<std::filesystem::path, std::string> whole_lines(const std::filesystem::path& run_dir) {
  std::map<std::filesystem::path, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{run_dir}) {
    std::string text = os::read_text(entry.path()).value();
    text.resize(text.rfind('\n') + 1);
    files.emplace(entry.path(), text);
  }
  return files;
}

std::size_t launch_lines(const std::filesystem::path& run_dir) {
  std::size_t count = 0;
  for (const auto& [file, text] : whole_lines(run_dir)) {
    for (std::size_t at = text.find("{\"kind\":\"launch\""); at != std::string::npos;
         at = text.find("{\"kind\":\"launch\"", at + 1)) {
      ++count;
    }
  }
  return count;
}

// Other lines are told, too: that the run began, and which workers of other tests it ended.
void read_until_told(StartedRun& run, std::size_t launches) {
  std::string line;
  for (std::size_t told = 0; run.read_line(line);) {
    if (line.starts_with("case ")) ++told;
    if (told == launches) return;
  }
}

void cut_off_and_resume(int signal, int exit_status, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  RunProgram program;
  program.config(kSweep);
  StartedRun run = program.start();
  const auto told = std::uniform_int_distribution<std::size_t>{0, kLaunches - 1}(random);
  read_until_told(run, told);
  const timespec moment{.tv_sec = 0,
                        .tv_nsec = std::uniform_int_distribution<long>{0, 20'000'000}(random)};
  ::nanosleep(&moment, nullptr);
  run.signal(signal);
  const int status = run.wait();
  EXPECT_TRUE(status == exit_status || status == 0) << status;
  ASSERT_THAT(program.leftovers(), IsEmpty());

  const auto before = whole_lines(program.run_dir());
  const std::size_t finished = launch_lines(program.run_dir());
  EXPECT_GE(finished, told) << "progress is told after the row is written";
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  const auto after = whole_lines(program.run_dir());
  for (const auto& [file, text] : before)
    EXPECT_EQ(after.at(file), text) << "finished rows are not touched";
  EXPECT_EQ(launch_lines(program.run_dir()), kLaunches) << "none is missing, none is there twice";
  const record::Results results = program.results();
  EXPECT_EQ(results.launches.size(), kLaunches);
  for (const record::Launch& launch : results.launches) {
    EXPECT_EQ(launch.row.outcome.kind, Outcome::Kind::kMeasured);
    EXPECT_FALSE(launch.samples.empty());
  }
  EXPECT_THAT(results.unfinished, IsEmpty());
}

TEST(Interrupt, SigintAtRandomMomentsThenResumeCompletesTheRun) {
  for (unsigned seed = 0; seed < 4; ++seed) cut_off_and_resume(SIGINT, 130, seed);
}

TEST(Interrupt, SigtermAtRandomMomentsThenResumeCompletesTheRun) {
  for (unsigned seed = 10; seed < 14; ++seed) cut_off_and_resume(SIGTERM, 143, seed);
}

TEST(Interrupt, ALostTerminalEndsTheRunInOrder) { cut_off_and_resume(SIGHUP, 129, 15); }

TEST(Interrupt, ALostTerminalIsNoneUnderNohup) {
  RunProgram program;
  program.config(kSweep);
  program.prefix = {"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""};
  StartedRun run = program.start();
  std::string line;
  ASSERT_TRUE(run.read_line(line));
  run.signal(SIGHUP);
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(launch_lines(program.run_dir()), kLaunches);
}

TEST(Interrupt, SigkillAtRandomMomentsTakesTheWorkerAlongAndResumeCompletesTheRun) {
  for (unsigned seed = 20; seed < 24; ++seed) cut_off_and_resume(SIGKILL, 137, seed);
}

TEST(Interrupt, ASecondSignalKillsAWorkerThatDoesNotListen) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  const auto started = program.folder / "started";
  program.worker = program.script(
      "worker", "case $1 in --control*) trap '' TERM INT; touch " + started.string() +
                    "; while :; do sleep 60; done;; esac\nexec " + stub + " \"$@\"\n");
  StartedRun run = program.start();
  ASSERT_TRUE(appears(started));
  run.signal(SIGTERM);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait() & ~(130 ^ 143), 130 & 143)
      << "130 or 143: which of two pending signals comes first is open";
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Resume, RepeatsFailedLaunchesOnlyWhenAsked) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  const auto broken = program.folder / "broken";
  std::ofstream{broken} << "1";
  program.worker = program.script("worker", "case $1 in --control*) [ -e " + broken.string() +
                                                " ] && exit 3;; esac\nexec " + stub + " \"$@\"\n");
  EXPECT_EQ(program.run().exit_status, 4);
  std::filesystem::remove(broken);
  EXPECT_EQ(program.resume().exit_status, 4);
  EXPECT_EQ(program.resume({"--retry-failed"}).exit_status, 0);
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 1U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured);
  EXPECT_EQ(results.launches[0].row.attempt, 1);
}

void expect_refusal(const RunProgram& program, const std::string& difference) {
  const os::CommandResult result = program.resume();
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("not the same experiment: " + difference));
}

TEST(Resume, RefusesAnotherPlan) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  program.config(yaml_with("ok, skip"));
  expect_refusal(program, "the plan's digest");
}

TEST(Resume, RefusesAnotherSchedule) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const os::CommandResult result = program.resume({"--set", "schedule.active=7"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("schedule.active"));
  EXPECT_THAT(result.err, HasSubstr("was 5 and is now 7"));
}

TEST(Resume, RefusesAnotherBuildOfTheWorker) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.worker = program.script("worker", "exec " + program.worker.string() + " \"$@\"\n");
  EXPECT_EQ(program.run().exit_status, 0);
  std::ofstream{program.worker, std::ios::app} << "# another build\n";
  expect_refusal(program, "the worker's build");
}

TEST(Resume, RefusesOtherData) {
  RunProgram program;
  const auto data = program.folder / "data";
  std::ofstream{data} << "1";
  program.config(yaml_with("ok", "stub: {marker: " + data.string() + "}\n"));
  EXPECT_EQ(program.run().exit_status, 0);  // appends to the file
  expect_refusal(program, "the data's digest");
}

TEST(Resume, StartsARunThatWasKilledBeforeItsFirstLine) {
  RunProgram program;
  program.config(kSweep);
  const auto folder = program.folder / "results/20260131-120000-cut";
  std::filesystem::create_directories(folder);
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  EXPECT_EQ(launch_lines(folder), kLaunches);
}

TEST(Resume, RefusesARunThatStillRunsEvenWithoutLocks) {
  RunProgram program;
  program.config(kSweep);
  const auto folder = program.folder / "results/20260131-120000-cut";
  std::filesystem::create_directories(folder);
  // As long as this writer lives, its run does.
  const record::ResultWriter other(folder / (machine::host_name("/") + "-1of1-1.jsonl"));
  const os::CommandResult result = program.resume();
  EXPECT_EQ(result.exit_status, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is still being measured"));
}

TEST(Resume, RefusesAFolderThatIsNone) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const os::CommandResult result = program.run({"--resume", (program.folder / "nowhere").string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("is not a run's folder"));
}

TEST(Resume, OfACompleteRunPrintsItsTable) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const os::CommandResult result = program.resume();
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(launch_lines(program.run_dir()), 1U);
  EXPECT_THAT(result.out, HasSubstr("Results: "));
}

TEST(PythonWorker, IsCutOffAfterItsFirstCaseAndResumed) {
  const std::filesystem::path source = STEPBENCH_SOURCE_DIR;
  const auto python = source / ".venv/bin/python";
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "no .venv with torch; tools/setup makes it";
  RunProgram program;
  const auto example = source / "tools/examples/python_worker";
  program.worker = example / "python_worker.py";
  program.prefix = {"/usr/bin/env", "PATH=" + python.parent_path().string() + ":/usr/bin:/bin",
                    "TORCHINDUCTOR_CACHE_DIR=" + (program.folder / "cache").string()};
  // torch is loaded in set-up, which takes minutes where other programs have the cores.
  program.config(os::read_text(example / "mlp.yaml").value() +
                 "limits: {set_up_s: 840, wall_s: 840}\n");
  StartedRun run = program.start();
  for (std::string line; run.read_line(line) && line.find("  step ") == std::string::npos;) {
  }
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait(), 143);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  EXPECT_EQ(launch_lines(program.run_dir()), 1U);
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  for (const record::Launch& launch : results.launches) {
    EXPECT_EQ(launch.row.outcome.kind, Outcome::Kind::kMeasured) << launch.row.outcome.reason;
    EXPECT_EQ(launch.samples.at(0).steps.columns.at(0).size(), 5U);
  }
}

TEST(Shard, PartsOfOneRunShareAFolder) {
  RunProgram program;
  program.config(kSweep);
  EXPECT_EQ(program.run({"--shard", "1/2"}).exit_status, 0);
  EXPECT_EQ(program.resume({"--shard", "2/2"}).exit_status, 0);
  EXPECT_EQ(program.results().launches.size(), kLaunches);
}

}  // namespace
}  // namespace stepbench::testing
