// SPDX-License-Identifier: Apache-2.0
#include "harness/os/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::os {
namespace {

using namespace std::chrono_literals;

// Ended, though perhaps not reaped: some containers have no process that reaps orphans.
bool is_gone(pid_t process) {
  const std::string program = "/proc/" + std::to_string(process) + "/exe";
  for (int turn = 0; turn < 60'000; ++turn) {
    std::error_code none;
    (void)fs::read_symlink(program, none);
    if (none) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(Command, InputAndBothOutputs_ArePassed) {
  const CommandResult result =
      run_command({"sh", "-c", "cat; echo no >&2; exit 3"}, "hello", 10min);
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "no\n");
}

TEST(Command, LargeInput_IsAcceptedUnread) {
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(run_command({"cat"}, much, 10min).out.size(), much.size());
  EXPECT_EQ(run_command({"true"}, std::string(3 << 20, 'x'), 10min).exit_status, 0);
}

TEST(Command, TimeLimit_KillsTheProgram) {
  const CommandResult result = run_command({"sleep", "1000"}, "", 100ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
}

TEST(Command, TimeLimit_KillsGrandchildren) {
  const test::TemporaryFolder folder;
  const std::string pid_file = folder / "pid";
  pid_t grandchild = 0;
  // A busy machine may need longer to reach the `wait`.
  for (auto limit = 500ms; grandchild == 0 && limit < 10min; limit *= 10) {
    const CommandResult result =
        run_command({"sh", "-c", "sleep 1000 & echo $! > " + pid_file + "; wait"}, "", limit);
    EXPECT_TRUE(result.timed_out);
    std::ifstream{pid_file} >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(is_gone(grandchild));
}

TEST(Command, ClosedOutput_StillTimesOut) {
  EXPECT_TRUE(run_command({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, "", 200ms).timed_out);
}

TEST(Command, BackgroundProcess_DoesNotDelayTheEnd) {
  const CommandResult result = run_command({"sh", "-c", "echo out; sleep 1000 &"}, "", 10min);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out, "out\n");
}

TEST(Command, OtherSession_DoesNotDelayTheEnd) {
  const test::TemporaryFolder folder;
  const std::string up = folder / "up";
  const CommandResult result = run_command(
      {"sh", "-c", "setsid sh -c ': > " + up + "; exec yes' & until [ -e " + up + " ]; do :; done"},
      "", 10min);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 0);
}

TEST(Command, LaterSignal_IsDelivered) {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)std::signal(SIGINT, SIG_DFL);
    try {
      (void)run_command({"sh", "-c", "kill -INT $PPID; sleep 1000"}, "", 10min);
    } catch (const Interrupted&) {
      ::_exit(1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(Command, PendingSignal_IsNamed) {
  const pid_t child = ::fork();
  if (child == 0) {
    sigset_t held;
    ::sigemptyset(&held);
    ::sigaddset(&held, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &held, nullptr);
    ::raise(SIGTERM);
    const bool ended = run_command({"true"}, "", 10min, {.defers_signals = true}).exit_status == 0;
    try {
      (void)run_command({"sleep", "1000"}, "", 10min);
    } catch (const Interrupted& by) {
      ::_exit(ended ? by.signal() : 0);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), SIGTERM);
}

TEST(Command, KilledParent_EndsItsGrandchildren) {
  const test::TemporaryFolder folder;
  const std::string pid_file = folder / "pid";
  const pid_t child = ::fork();
  if (child == 0) {
    (void)run_command({"sh", "-c",
                       "(sleep 1000 & echo $! > " + pid_file + ".part; mv " + pid_file + ".part " +
                           pid_file + "; wait) & wait"},
                      "", 10min);
    ::_exit(0);
  }
  pid_t grandchild = 0;
  for (int turn = 0; turn < 60'000 && grandchild == 0; ++turn) {
    std::ifstream{pid_file} >> grandchild;
    std::this_thread::sleep_for(10ms);
  }
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(is_gone(grandchild));
}

TEST(Command, Flood_IsEnded) {
  EXPECT_TRUE(run_command({"yes"}, "", 10min, {.most_output = 100'000}).flooded);
  const CommandResult cut = run_command({"sh", "-c", "yes | head -c 1000000; echo end >&2"}, "",
                                        10min, {.most_output = 100'000, .drops_rest = true});
  EXPECT_FALSE(cut.flooded);
  EXPECT_EQ(cut.out.size(), 100'000U);
  EXPECT_EQ(cut.err, "end\n");
}

TEST(Command, FolderAndVariables_AreSet) {
  const test::TemporaryFolder folder;
  ::setenv("STEPBENCH_TEST_A", "1", 1);
  ::setenv("STEPBENCH_TEST_B", "1", 1);
  const CommandResult result = run_command(
      {"sh", "-c", "pwd -P; echo \"$STEPBENCH_TEST_A,$STEPBENCH_TEST_B,$STEPBENCH_TEST_C\""}, "",
      10min,
      {.folder = folder.path(),
       .unset = {"STEPBENCH_TEST_A"},
       .set = {"STEPBENCH_TEST_B=2", "STEPBENCH_TEST_C=3"}});
  EXPECT_EQ(result.out, fs::canonical(folder.path()).string() + "\n,2,3\n");
  EXPECT_FALSE(run_command({"true"}, "", 10min, {.folder = folder / "absent"}).started);
}

TEST(Git, OwnVariables_AreRemoved) {
  const CommandResult named = run_git(".", {"rev-parse", "--local-env-vars"});
  std::size_t names = 0;
  std::istringstream lines(named.out);
  for (std::string name; std::getline(lines, name); ++names) {
    EXPECT_NE(std::ranges::find(variables_of_git(), name), variables_of_git().end()) << name;
  }
  EXPECT_GT(names, 10U);
  ::setenv("GIT_DIR", "/nowhere", 1);
  EXPECT_EQ(run_git("/", {"rev-parse", "--git-dir"}).err.find("/nowhere"), std::string::npos);
  ::unsetenv("GIT_DIR");
}

TEST(Command, MissingProgram_ReportsTheCause) {
  const CommandResult result = run_command({"/nowhere/program"}, "", 10min);
  EXPECT_FALSE(result.started);
  EXPECT_EQ(result.reason, "No such file or directory");
}

}  // namespace
}  // namespace stepbench::os
