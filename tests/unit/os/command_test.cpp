// SPDX-License-Identifier: Apache-2.0
#include "harness/os/command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/temporary_folder.h"

namespace stepbench::os {
namespace {

using namespace std::chrono_literals;

bool is_gone(pid_t process) {
  for (int turn = 0; turn < 60'000; ++turn) {
    if (::kill(process, 0) != 0) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(Command, GivesInputAndTakesBothOutputs) {
  const CommandResult result =
      run_command({"sh", "-c", "cat; echo no >&2; exit 3"}, "hello", 10min);
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "no\n");
}

TEST(Command, TakesMuchAlsoWhereTheProgramDoesNotRead) {
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(run_command({"cat"}, much, 10min).out.size(), much.size());
  EXPECT_EQ(run_command({"true"}, std::string(3 << 20, 'x'), 10min).exit_status, 0);
}

TEST(Command, KillsWhatTakesTooLong) {
  const CommandResult result = run_command({"sleep", "1000"}, "", 100ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
}

TEST(Command, KillsWhatItStartedInTurn) {
  const test::TemporaryFolder folder;
  const std::string pid_file = folder / "pid";
  pid_t grandchild = 0;
  // A busy machine may need longer to come to the `wait`.
  for (auto limit = 500ms; grandchild == 0 && limit < 10min; limit *= 10) {
    const CommandResult result =
        run_command({"sh", "-c", "sleep 1000 & echo $! > " + pid_file + "; wait"}, "", limit);
    EXPECT_TRUE(result.timed_out);
    std::ifstream{pid_file} >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(is_gone(grandchild));
}

TEST(Command, MeetsItsLimitAlsoWhereItClosedItsOutput) {
  EXPECT_TRUE(run_command({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, "", 200ms).timed_out);
}

TEST(Command, EndsWithItsProgramThoughABackgroundOneHoldsThePipe) {
  const CommandResult result = run_command({"sh", "-c", "echo out; sleep 1000 &"}, "", 10min);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out, "out\n");
}

TEST(Command, EndsWithItsProgramThoughOneOfAnotherSessionWritesOn) {
  const test::TemporaryFolder folder;
  const std::string up = folder / "up";
  const CommandResult result = run_command(
      {"sh", "-c", "setsid sh -c ': > " + up + "; exec yes' & until [ -e " + up + " ]; do :; done"},
      "", 10min);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 0);
}

TEST(Command, EndsAtASignalThatIsDeliveredAfterIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)std::signal(SIGINT, SIG_DFL);
    const CommandResult result =
        run_command({"sh", "-c", "kill -INT $PPID; sleep 1000"}, "", 10min);
    ::_exit(result.interrupted ? 1 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(Command, SaysWhyAProgramCannotBeRun) {
  const CommandResult result = run_command({"/nowhere/program"}, "", 10min);
  EXPECT_FALSE(result.started);
  EXPECT_EQ(result.reason, "No such file or directory");
}

}  // namespace
}  // namespace stepbench::os
