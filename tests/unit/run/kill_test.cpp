// SPDX-License-Identifier: Apache-2.0
// A run that is killed again and again, at any moment of its life: nothing is left behind, each
// file can be read, and --resume completes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::IsEmpty;

constexpr int kKills = 40;
constexpr std::size_t kLaunchesInAll = 6;
constexpr const char* kConfig =
    "name: killed\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 10}\n"
    "stub: {clock: host}\n"
    "sweep: {matrix: {stub.samples: [1, 2, 3]}}\n";

bool has_run(const RunProgram& program) {
  return std::filesystem::exists(program.folder / "results") &&
         !std::filesystem::is_empty(program.folder / "results");
}

bool has_rows(const RunProgram& program) {
  return has_run(program) && !std::filesystem::is_empty(program.run_dir());
}

void complete(const RunProgram& program) {
  const os::CommandResult result = has_run(program) ? program.resume() : program.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program.results();
  EXPECT_EQ(results.launches.size(), kLaunchesInAll);
  for (const record::Launch& launch : results.launches) {
    EXPECT_EQ(launch.row.outcome.kind, Outcome::Kind::kMeasured);
    EXPECT_FALSE(launch.samples.empty());
  }
  EXPECT_THAT(results.unfinished, IsEmpty());
}

// How long all launches take here.
std::chrono::nanoseconds time_of_a_run() {
  RunProgram program;
  program.config(kConfig);
  const auto began = std::chrono::steady_clock::now();
  complete(program);
  return std::chrono::steady_clock::now() - began;
}

// False when the run was over before the signal came.
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

TEST(Kill, AtFortyRandomMomentsNothingIsLostOrLeftBehind) {
  std::mt19937 random{7};
  const auto latest = time_of_a_run() / 2;
  for (int kills = 0; kills < kKills;) {
    RunProgram program;
    program.config(kConfig);
    bool killed = true;
    while (killed && kills < kKills) {
      SCOPED_TRACE("kill " + std::to_string(kills));
      killed = start_and_kill(program, latest, random);
      ++kills;
      ASSERT_THAT(program.leftovers(), IsEmpty());
      if (!has_rows(program)) continue;
      if (program.results().launches.size() == kLaunchesInAll) break;
    }
    complete(program);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace stepbench::testing
