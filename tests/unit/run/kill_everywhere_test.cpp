// SPDX-License-Identifier: Apache-2.0
// The program is killed at each of its system calls from the making of the run's folder on, one run
// for each: nothing is left behind, and --resume completes what was begun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::IsEmpty;

constexpr const char* kOneLaunch =
    "name: traced\n"
    "workload: stub\n"
    "launches: 1\n"
    "schedule: {wait: 0, warmup: 1, active: 3}\n";

struct Traced {
  int calls = 0;             // entries and exits of system calls
  int calls_to_folder = -1;  // the first at which there was a folder for results
  bool ended_by_itself = false;
};

// The leak checker of AddressSanitizer refuses to work under a tracer.
const std::vector<std::string> kWithoutLeakCheck = {"/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0"};

// Runs the program and kills it at stop number `kill_at`; -1: lets it end.
Traced run_traced(const RunProgram& program, int kill_at) {
  std::vector<std::string> words = program.command_to_start();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto results = program.folder / "results";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    (void)::raise(SIGSTOP);
    (void)!::freopen("/dev/null", "w", stdout);
    (void)!::freopen("/dev/null", "w", stderr);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
  Traced traced;
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (long deliver = 0;;) {
    if (::ptrace(PTRACE_SYSCALL, pid, nullptr, deliver) != 0 && errno == ESRCH) break;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFSTOPPED(status)) break;
    const int signal = WSTOPSIG(status);
    deliver = signal == (SIGTRAP | 0x80) || signal == SIGTRAP ? 0 : signal;
    if (signal != (SIGTRAP | 0x80)) continue;
    if (traced.calls_to_folder < 0 && std::filesystem::exists(results)) {
      traced.calls_to_folder = traced.calls;
    }
    if (traced.calls++ == kill_at) {
      ::kill(pid, SIGKILL);
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      return traced;
    }
  }
  traced.ended_by_itself = true;
  return traced;
}

TEST(KillEverywhere, AtEachSystemCallNothingIsLostOrLeftBehind) {
  RunProgram whole;
  whole.config(kOneLaunch);
  whole.prefix = kWithoutLeakCheck;
  const Traced all = run_traced(whole, -1);
  ASSERT_GT(all.calls_to_folder, 0) << "the program could not be traced";
  ASSERT_EQ(whole.results().launches.size(), 1U);
  int resumed = 0;
  for (int at = all.calls_to_folder - 4; at < all.calls; ++at) {
    SCOPED_TRACE("killed at stop " + std::to_string(at) + " of " + std::to_string(all.calls));
    RunProgram program;
    program.config(kOneLaunch);
    program.prefix = kWithoutLeakCheck;
    const Traced traced = run_traced(program, at);
    ASSERT_THAT(program.leftovers(), IsEmpty());
    const auto results = program.folder / "results";
    if (!std::filesystem::exists(results) || std::filesystem::is_empty(results)) continue;
    const os::CommandResult result = program.resume();
    ASSERT_EQ(result.exit_status, 0) << result.err;
    ASSERT_EQ(program.results().launches.size(), 1U);
    ASSERT_THAT(program.results().unfinished, IsEmpty());
    if (!traced.ended_by_itself) ++resumed;
  }
  EXPECT_GT(resumed, 100);
}

}  // namespace
}  // namespace stepbench::testing
