// SPDX-License-Identifier: Apache-2.0
// The program is killed at each of its system calls from the creation of the run's folder on, one
// run per call: nothing is left behind, and --resume completes the run.
#include <csignal>

#include "harness/os/text_file.h"
#include "tests/storm/traced.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

constexpr const char* kOneLaunch =
    "name: traced\n"
    "workload: stub\n"
    "launches: 1\n"
    "schedule: {wait: 0, warmup: 1, active: 3}\n";

// The leak checker of AddressSanitizer does not work under a tracer.
const std::vector<std::string> kWithoutLeakCheck = {"/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0"};

TEST(KillEverywhere, EachSystemCall_LosesNothing) {
  RunProgram whole;
  whole.config(kOneLaunch);
  whole.prefix = kWithoutLeakCheck;
  int first = -1;  // the first call with a folder for results
  const storm::Traced all = storm::run_traced(whole.command_to_start(), -1, [&](int stop) {
    if (first < 0 && fs::exists(whole.folder / "results")) first = stop;
  });
  ASSERT_GT(first, 0) << "the program could not be traced";
  ASSERT_EQ(whole.results().launches.size(), 1U);
  int resumed = 0;
  for (int at = first - 4; at < all.calls; ++at) {
    SCOPED_TRACE("killed at stop " + std::to_string(at) + " of " + std::to_string(all.calls));
    RunProgram program(kOneLaunch);
    program.prefix = kWithoutLeakCheck;
    const storm::Traced traced = storm::run_traced(program.command_to_start(), at);
    ASSERT_THAT(program.leftovers(), IsEmpty());
    const auto results = program.folder / "results";
    if (!fs::exists(results) || fs::is_empty(results)) continue;
    const os::CommandResult result = program.resume();
    ASSERT_EQ(result.exit_status, 0) << result.err;
    ASSERT_EQ(program.results().launches.size(), 1U);
    ASSERT_THAT(program.results().unfinished, IsEmpty());
    if (!traced.ended_by_itself) ++resumed;
  }
  EXPECT_GT(resumed, 100);
}

TEST(PythonWorker, KilledAfterACase_Resumes) {
  const fs::path source = STEPBENCH_SOURCE_DIR;
  const auto python = source / ".venv/bin/python";
  if (!fs::exists(python)) GTEST_SKIP() << "no .venv with torch; tools/setup makes it";
  RunProgram program;
  const auto example = source / "tools/examples/python_worker";
  program.worker = example / "python_worker.py";
  program.prefix = {"/usr/bin/env", "PATH=" + python.parent_path().string() + ":/usr/bin:/bin",
                    "TORCHINDUCTOR_CACHE_DIR=" + (program.folder / "cache").string()};
  // torch is loaded in set-up, which takes minutes if other programs use the cores.
  program.config(os::read_text(example / "mlp.yaml").value() +
                 "limits: {set_up_s: 840, wall_s: 840}\n");
  StartedRun run = program.start();
  for (std::string line; run.read_line(line) && line.find("  step ") == std::string::npos;) {
  }
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait(), 143);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  EXPECT_EQ(program.results().launches.size(), 1U);
  const os::CommandResult resumed = program.resume();
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  for (const record::Launch& launch : results.launches) {
    EXPECT_EQ(launch.row.outcome.kind, Outcome::Kind::kMeasured) << launch.row.outcome.reason;
    EXPECT_EQ(launch.samples.at(0).steps.columns.at(0).size(), 5U);
  }
}

}  // namespace
}  // namespace stepbench::testing
