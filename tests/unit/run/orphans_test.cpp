// SPDX-License-Identifier: Apache-2.0
#include "harness/run/orphans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Orphans : public ::testing::Test {
 protected:
  Orphans() { make("self", "stepbench", 'R', "0", ""); }

  // `environment` with spaces for NUL bytes.
  void make(const std::string& pid, const std::string& program, char state,
            const std::string& ticks, std::string environment,
            const char* pid_namespace = "pid:[1]") const {
    const std::string process = "proc/" + pid;
    folder_.write(process + "/stat", pid + " (" + program + ") " + state +
                                         " 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " + ticks +
                                         " 0 0\n");
    folder_.write(process + "/comm", program + "\n");
    for (char& c : environment) c = c == ' ' ? '\0' : c;
    folder_.write(process + "/environ", environment);
    fs::create_directories(folder_ / (process + "/ns"));
    fs::create_symlink(pid_namespace, folder_ / (process + "/ns/pid"));
  }
  [[nodiscard]] std::vector<pid_t> found() const {
    std::vector<pid_t> pids;
    for (const Orphan& orphan : find_orphans(folder_.path())) pids.push_back(orphan.pid);
    return pids;
  }
  const test::TemporaryFolder folder_;
};

TEST_F(Orphans, AreThoseWhoseControllerIsDead) {
  make("10", "stepbench", 'S', "700", "HOME=/ ");
  make("11", "worker", 'S', "710", "HOME=/ STEPBENCH_CONTROLLER=10.700 A=b ");
  make("12", "sleep", 'S', "720", "STEPBENCH_CONTROLLER=9.600 A=b ");
  make("13", "editor", 'S', "720", "NOT_STEPBENCH_CONTROLLER=9.600 ");
  EXPECT_THAT(found(), ElementsAre(12));
  EXPECT_EQ(find_orphans(folder_.path()).front().program, "sleep");
  EXPECT_EQ(controller_name(folder_.path(), 10), "10.700");
}

TEST_F(Orphans, AnotherProcessWithTheNumberOfTheirControllerIsNotTheirs) {
  make("10", "shell", 'S', "900", "");
  make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=10.700 ");
  EXPECT_THAT(found(), ElementsAre(11));
}

TEST_F(Orphans, AControllerThatNobodyHasWaitedForIsDead) {
  make("10", "stepbench", 'Z', "700", "");
  make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=10.700 ");
  EXPECT_THAT(found(), ElementsAre(11));
}

TEST_F(Orphans, OfAContainerAreLeftToIt) {
  make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=10.700 ", "pid:[2]");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Orphans, WhatIsNoNameOfAControllerIsLeft) {
  make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=me ");
  EXPECT_THAT(found(), IsEmpty());
}

TEST(EndOrphans, EndsThemWhateverSessionTheyAreIn) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    // No process is as old as the machine.
    ::execl("/usr/bin/env", "env", "STEPBENCH_CONTROLLER=2.1", "sleep", "1000", nullptr);
    ::_exit(1);
  }
  std::string program;
  while (program != "sleep") {
    program = os::read_line("/proc/" + std::to_string(child) + "/comm").value_or("sleep");
  }
  // Empty where another run of this machine was there first.
  const std::string said = end_orphans();
  if (!said.empty()) {
    EXPECT_THAT(said, ::testing::HasSubstr(std::to_string(child) + " (sleep)"));
    EXPECT_THAT(said, ::testing::HasSubstr("that a killed run had left: "));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace stepbench::run
