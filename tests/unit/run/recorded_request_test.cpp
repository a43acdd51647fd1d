// SPDX-License-Identifier: Apache-2.0
// `stepbench run --resume DIR` without the file, and `-` in place of a file.
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

constexpr const char* kProgram = STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench";
constexpr const char* kSmall =
    "workload: stub\nlaunches: 1\nschedule: {wait: 0, warmup: 0, active: 2}\n";

// Runs in the folder of the test, as a user would.
os::CommandResult stepbench(const RunProgram& program, std::vector<std::string> arguments,
                            const std::string& input = "", const std::string& from = "") {
  const std::string folder = from.empty() ? program.folder.string() : from;
  arguments.insert(arguments.begin(),
                   {"/usr/bin/env", "-C", folder, "TMPDIR=" + (program.folder / "tmp").string(),
                    "XDG_CACHE_HOME=" + (program.folder / "cache").string(), kProgram});
  return os::run_command(arguments, input, std::chrono::minutes(10));
}

TEST(RecordedRequest, FolderAlone_Resumes) {
  RunProgram program(kSmall);
  fs::create_symlink(program.worker, program.folder / "own-worker");
  const os::CommandResult first =
      stepbench(program, {"run", "config.yaml", "--no-lock", "--worker", "./own-worker", "--set",
                          "schedule.active=3", "--sweep", "stub.behaviour=ok,throw_in_step",
                          "--sweep", "step_us=100,200", "--launches", "2"});
  ASSERT_EQ(first.exit_status, 1) << first.err;
  ASSERT_THAT(program.results().launches, SizeIs(8));
  fs::remove(program.folder / "config.yaml");
  const os::CommandResult again = stepbench(
      program, {"run", "--resume", program.run_dir().string(), "--retry-failed", "--no-lock"}, "",
      "/");
  EXPECT_EQ(again.exit_status, 1) << again.err;
  EXPECT_THAT(again.err, HasSubstr("4 cases, 4 launches to do"));
  EXPECT_THAT(program.results().launches, SizeIs(8));
}

TEST(RecordedRequest, GivenOptions_Win) {
  RunProgram program(kSmall);
  const std::vector<std::string> words = {
      "run",     "config.yaml",    "--no-lock", "--worker", program.worker.string(),
      "--sweep", "step_us=100,200"};
  ASSERT_EQ(stepbench(program, words).exit_status, 0);
  const os::CommandResult more = stepbench(program, {"run", "--resume", program.run_dir().string(),
                                                     "--no-lock", "--sweep", "step_us=100,300"});
  EXPECT_EQ(more.exit_status, 2);
  EXPECT_THAT(more.err, HasSubstr("not the same experiment"));
}

TEST(RecordedRequest, FolderWithoutARequest_IsRejected) {
  RunProgram program;
  fs::create_directory(program.folder / "empty");
  const os::CommandResult empty = stepbench(program, {"run", "--resume", "empty"});
  EXPECT_EQ(empty.exit_status, 2);
  EXPECT_THAT(empty.err, HasSubstr("empty"));
  const os::CommandResult nothing = stepbench(program, {"run"});
  EXPECT_EQ(nothing.exit_status, 2);
  EXPECT_THAT(nothing.err, AllOf(HasSubstr("FILE: is missing"), HasSubstr("--resume RUN")));
}

TEST(StandardInput, Text_IsMeasuredAndRepeatable) {
  RunProgram program;
  const std::string yaml = std::string(kSmall) + "name: piped\nstub: {behaviour: throw_in_step}\n";
  const os::CommandResult result =
      stepbench(program, {"run", "-", "--no-lock", "--worker", program.worker.string()}, yaml);
  EXPECT_EQ(result.exit_status, 4) << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("experiment.yaml --worker"));
  const std::string copy = (program.run_dir() / "experiment.yaml").string();
  const os::CommandResult again =
      stepbench(program, {"plan", copy, "--worker", program.worker.string()});
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("1 case, 1 launch"));
  EXPECT_EQ(
      stepbench(program, {"run", "--resume", program.run_dir().string(), "--no-lock"}).exit_status,
      4);
}

}  // namespace
}  // namespace stepbench::testing
