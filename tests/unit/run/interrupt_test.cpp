// SPDX-License-Identifier: Apache-2.0
// A run cut off at any moment loses no finished launch, leaves nothing behind, and is completed by
// --resume.
#include <chrono>
#include <csignal>
#include <ctime>
#include <random>
#include <thread>

#include "harness/machine/environment.h"
#include "harness/os/text_file.h"
#include "harness/record/result_file.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

constexpr std::size_t kLaunches = 12;
constexpr int kKills = 40;
constexpr const char* kSweep =
    "name: cut\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 10}\n"
    "stub: {clock: host}\n"
    "sweep: {matrix: {stub.samples: [1, 2, 3, 4, 5, 6]}}\n";

std::map<fs::path, std::string> whole_lines(const fs::path& run_dir) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::directory_iterator{run_dir}) {
    std::string text = os::read_text(entry.path()).value();
    text.resize(text.rfind('\n') + 1);
    files.emplace(entry.path(), text);
  }
  return files;
}

std::size_t launch_lines(const fs::path& run_dir) {
  std::size_t count = 0;
  for (const auto& [file, text] : whole_lines(run_dir)) {
    for (std::size_t at = text.find("{\"kind\":\"launch\""); at != std::string::npos;
         at = text.find("{\"kind\":\"launch\"", at + 1)) {
      ++count;
    }
  }
  return count;
}

// Reads to the line of the start at least: those of workers of other tests that it ended come
// before the run has its folder.
void read_until_told(StartedRun& run, std::size_t launches) {
  std::string line;
  bool has_folder = false;
  for (std::size_t reported = 0; run.read_line(line);) {
    has_folder = has_folder || line.find(", results in ") != std::string::npos;
    if (line.starts_with("case ")) ++reported;
    if (has_folder && reported == launches) return;
  }
}

void expect_complete(const RunProgram& program) {
  EXPECT_EQ(launch_lines(program.run_dir()), kLaunches) << "none is missing, none is there twice";
  const record::Results results = program.results();
  EXPECT_EQ(results.launches.size(), kLaunches);
  for (const record::Launch& launch : results.launches) {
    EXPECT_EQ(launch.row.outcome.kind, Outcome::Kind::kMeasured);
    EXPECT_FALSE(launch.samples.empty());
  }
  EXPECT_THAT(results.unfinished, IsEmpty());
}

void cut_off_and_resume(int signal, int exit_status, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  RunProgram program(kSweep);
  StartedRun run = program.start();
  const auto reported = std::uniform_int_distribution<std::size_t>{0, kLaunches - 1}(random);
  read_until_told(run, reported);
  const timespec moment{.tv_sec = 0,
                        .tv_nsec = std::uniform_int_distribution<long>{0, 20'000'000}(random)};
  ::nanosleep(&moment, nullptr);
  run.signal(signal);
  const int status = run.wait();
  EXPECT_TRUE(status == exit_status || status == 0) << status;
  ASSERT_THAT(program.leftovers(), IsEmpty());

  const auto before = whole_lines(program.run_dir());
  const std::size_t finished = launch_lines(program.run_dir());
  EXPECT_GE(finished, reported) << "progress is told after the row is written";
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  const auto after = whole_lines(program.run_dir());
  for (const auto& [file, text] : before)
    EXPECT_EQ(after.at(file), text) << "finished rows are not touched";
  expect_complete(program);
}

TEST(Interrupt, RandomMoments_ResumeToCompletion) {
  const struct {
    int signal, exit_status;
    unsigned first_seed, seeds;
  } rows[] = {
      {SIGINT, 130, 0, 4}, {SIGTERM, 143, 10, 4}, {SIGHUP, 129, 15, 1}, {SIGKILL, 137, 20, 4}};
  for (const auto& row : rows) {
    for (unsigned seed = row.first_seed; seed < row.first_seed + row.seeds; ++seed) {
      cut_off_and_resume(row.signal, row.exit_status, seed);
    }
  }
}

TEST(Interrupt, Nohup_IgnoresALostTerminal) {
  RunProgram program(kSweep);
  program.prefix = {"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""};
  StartedRun run = program.start();
  std::string line;
  ASSERT_TRUE(run.read_line(line));
  run.signal(SIGHUP);
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(launch_lines(program.run_dir()), kLaunches);
}

TEST(Interrupt, SecondSignal_KillsADeafWorker) {
  RunProgram program(yaml_with("ok"));
  const auto started = program.folder / "started";
  program.worker = program.stub_after("case $1 in --control*) trap '' TERM INT; touch " +
                                      started.string() + "; while :; do sleep 60; done;; esac");
  StartedRun run = program.start();
  ASSERT_TRUE(appears(started));
  run.signal(SIGTERM);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait() & ~(130 ^ 143), 130 & 143)
      << "130 or 143: which of two pending signals comes first is open";
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

bool has_run(const RunProgram& program) {
  return fs::exists(program.folder / "results") && !fs::is_empty(program.folder / "results");
}

void complete(const RunProgram& program) {
  const os::CommandResult result = has_run(program) ? program.resume() : program.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  expect_complete(program);
}

// Duration of all launches on this machine.
std::chrono::nanoseconds time_of_a_run() {
  RunProgram program(kSweep);
  const auto began = std::chrono::steady_clock::now();
  complete(program);
  return std::chrono::steady_clock::now() - began;
}

// Returns false if the run was over before the signal.
bool start_and_kill(const RunProgram& program, std::chrono::nanoseconds latest,
                    std::mt19937& random) {
  StartedRun run =
      has_run(program) ? program.start({"--resume", program.run_dir().string()}) : program.start();
  std::this_thread::sleep_for(std::chrono::nanoseconds(
      std::uniform_int_distribution<std::int64_t>{0, latest.count()}(random)));
  run.signal(SIGKILL);
  const int status = run.wait();
  EXPECT_TRUE(status == 137 || status == 0) << status;
  return status != 0;
}

TEST(Kill, RandomMoments_LoseNothing) {
  std::mt19937 random{7};
  const auto latest = time_of_a_run() / 2;
  for (int kills = 0; kills < kKills;) {
    RunProgram program(kSweep);
    bool killed = true;
    while (killed && kills < kKills) {
      SCOPED_TRACE("kill " + std::to_string(kills));
      killed = start_and_kill(program, latest, random);
      ++kills;
      ASSERT_THAT(program.leftovers(), IsEmpty());
      if (!has_run(program) || fs::is_empty(program.run_dir())) continue;
      if (program.results().launches.size() == kLaunches) break;
    }
    complete(program);
    if (HasFailure()) return;
  }
}

TEST(Resume, FailedLaunches_RepeatOnlyIfAsked) {
  RunProgram program(yaml_with("ok"));
  const auto broken = program.folder / "broken";
  std::ofstream{broken} << "1";
  program.worker =
      program.stub_after("case $1 in --control*) [ -e " + broken.string() + " ] && exit 3;; esac");
  EXPECT_EQ(program.run().exit_status, 4);
  fs::remove(broken);
  EXPECT_EQ(program.resume().exit_status, 4);
  EXPECT_EQ(program.resume({"--retry-failed"}).exit_status, 0);
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 1U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured);
  EXPECT_EQ(results.launches[0].row.attempt, 1);
}

TEST(Resume, OtherExperiment_IsRejected) {
  RunProgram program;
  const auto measure = [&] {
    fs::remove_all(program.folder / "results");
    EXPECT_EQ(program.run().exit_status, 0);
  };
  const auto expect_refusal = [&](const char* difference,
                                  const std::vector<std::string>& arguments = {}) {
    const os::CommandResult result = program.resume(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.err, HasSubstr("not the same experiment: "));
    EXPECT_THAT(result.err, HasSubstr(difference));
  };
  program.config(yaml_with("ok"));
  measure();
  expect_refusal("was 5 and is now 7", {"--set", "schedule.active=7"});
  program.config(yaml_with("ok, skip"));
  expect_refusal("the plan's digest");
  const auto data = program.folder / "data";  // the file to which the run appends
  std::ofstream{data} << "1";
  program.config(yaml_with("ok", "stub: {marker: " + data.string() + "}\n"));
  measure();
  expect_refusal("the data's digest");
  program.config(yaml_with("ok"));
  program.worker = program.stub_after("");
  measure();
  std::ofstream{program.worker, std::ios::app} << "# another build\n";
  expect_refusal("the worker's build");
}

TEST(Resume, RunWithoutItsFirstLine_Starts) {
  RunProgram program(kSweep);
  const auto folder = program.folder / "results/20260131-120000-cut";
  fs::create_directories(folder);
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  EXPECT_EQ(launch_lines(folder), kLaunches);
}

TEST(Resume, RunningRun_IsRejectedWithoutLocks) {
  RunProgram program(kSweep);
  const auto folder = program.folder / "results/20260131-120000-cut";
  fs::create_directories(folder);
  // While this writer lives, the run counts as running.
  const record::ResultWriter other(folder / (machine::host_name("/") + "-1of1-1.jsonl"));
  const os::CommandResult result = program.resume();
  EXPECT_EQ(result.exit_status, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is still being measured"));
}

TEST(Resume, CompleteRun_PrintsItsTable) {
  RunProgram program(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const os::CommandResult result = program.resume();
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(launch_lines(program.run_dir()), 1U);
  EXPECT_THAT(result.out, HasSubstr("Results: "));
}

TEST(Shard, Shards_ShareAFolder) {
  RunProgram program(kSweep);
  EXPECT_EQ(program.run({"--shard", "1/2"}).exit_status, 0);
  EXPECT_EQ(program.resume({"--shard", "2/2"}).exit_status, 0);
  EXPECT_EQ(program.results().launches.size(), kLaunches);
}

}  // namespace
}  // namespace stepbench::testing
