// SPDX-License-Identifier: Apache-2.0
// `stepbench show` as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;

os::CommandResult show(const RunProgram& program, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> words = {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "show",
                                    program.run_dir().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return os::run_command(words, "", std::chrono::minutes(10));
}

TEST(ShowCommand, ExitsWithFourWhereNoLaunchWasMeasured) {
  RunProgram program;
  program.config(yaml_with("throw_in_step"));
  EXPECT_EQ(program.run().exit_status, 4);
  const os::CommandResult shown = show(program);
  EXPECT_EQ(shown.exit_status, 4) << "as the run itself, though the folder holds a launch";
  EXPECT_THAT(shown.out, HasSubstr("failed: scripted exception"));
}

TEST(ShowCommand, ExitsWithZeroWhereSomethingWasMeasured) {
  RunProgram program;
  program.config(yaml_with("ok, throw_in_step"));
  EXPECT_EQ(program.run().exit_status, 1);
  EXPECT_EQ(show(program).exit_status, 0);
}

TEST(ShowCommand, AFullDiskBehindStandardOutputIsTold) {
  for (const char* words : {"--help", "--version", "list", "run --help"}) {
    const os::CommandResult result = os::run_command(
        {"/bin/sh", "-c",
         std::string(STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench ") + words + " > /dev/full"},
        "", std::chrono::minutes(10));
    EXPECT_EQ(result.exit_status, 2) << words;
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written")) << words;
  }
}

TEST(ShowCommand, WritesToAPipeByItsName) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const os::CommandResult shown = show(program, {"--output", "/dev/stdout"});
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_EQ(shown.out, show(program).out);
}

TEST(ShowCommand, AnUnknownCaseIsAnsweredWithTheNearest) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const os::CommandResult shown = show(program, {"--case", "zz"});
  EXPECT_EQ(shown.exit_status, 2);
  EXPECT_THAT(shown.err, HasSubstr("no case begins with 'zz'"));
}

}  // namespace
}  // namespace stepbench::testing
