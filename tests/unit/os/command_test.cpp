// SPDX-License-Identifier: Apache-2.0
#include "harness/os/command.h"

#include <gtest/gtest.h>

namespace stepbench {
namespace {

using namespace std::chrono_literals;

TEST(Command, GivesInputAndTakesBothOutputs) {
  const CommandResult result = run_command({"sh", "-c", "cat; echo no >&2; exit 3"}, "hello", 60s);
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "no\n");
}

TEST(Command, TakesMuchInBothDirectionsAtOnce) {
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(run_command({"cat"}, much, 60s).out.size(), much.size());
}

TEST(Command, SurvivesAProgramThatDoesNotRead) {
  EXPECT_EQ(run_command({"true"}, std::string(3 << 20, 'x'), 60s).exit_status, 0);
}

TEST(Command, KillsWhatTakesTooLong) {
  const CommandResult result = run_command({"sleep", "1000"}, "", 100ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
}

TEST(Command, SaysWhyAProgramCannotBeRun) {
  const CommandResult result = run_command({"/nowhere/program"}, "", 1s);
  EXPECT_FALSE(result.started);
  EXPECT_EQ(result.reason, "No such file or directory");
}

}  // namespace
}  // namespace stepbench
