// SPDX-License-Identifier: Apache-2.0
// Leftovers of a killed run: processes, segments of shared memory.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness/os/text_file.h"
#include "harness/run/internal/worker_process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

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

TEST_F(Orphans, DeadController_MakesOrphans) {
  make("10", "stepbench", 'S', "700", "HOME=/ ");
  make("11", "worker", 'S', "710", "HOME=/ STEPBENCH_CONTROLLER=10.700 A=b ");
  make("12", "sleep", 'S', "720", "STEPBENCH_CONTROLLER=9.600 A=b ");
  make("13", "editor", 'S', "720", "NOT_STEPBENCH_CONTROLLER=9.600 ");
  EXPECT_THAT(found(), ElementsAre(12));
  EXPECT_EQ(find_orphans(folder_.path()).front().program, "sleep");
  EXPECT_EQ(controller_name(folder_.path(), 10), "10.700");
}

TEST_F(Orphans, FakeOrZombieController_IsDead) {
  for (const auto& [program, state, ticks] :
       {std::tuple("shell", 'S', "900"), std::tuple("stepbench", 'Z', "700")}) {
    make("10", program, state, ticks, "");
    make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=10.700 ");
    EXPECT_THAT(found(), ElementsAre(11));
    fs::remove_all(folder_ / "proc/10");
    fs::remove_all(folder_ / "proc/11");
  }
}

TEST_F(Orphans, ContainerOrNoController_IsNoOrphan) {
  make("11", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=10.700 ", "pid:[2]");
  make("12", "sleep", 'S', "710", "STEPBENCH_CONTROLLER=me ");
  EXPECT_THAT(found(), IsEmpty());
}

TEST(EndOrphans, AnySession_IsEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    // The start time cannot belong to a living process.
    ::execl("/usr/bin/env", "env", "STEPBENCH_CONTROLLER=2.1", "sleep", "1000", nullptr);
    ::_exit(1);
  }
  std::string program;
  while (program != "sleep") {
    program = os::read_line("/proc/" + std::to_string(child) + "/comm").value_or("sleep");
  }
  // Empty if another run of this machine ended them first.
  const std::string said = end_orphans();
  if (!said.empty()) {
    EXPECT_THAT(said, HasSubstr(std::to_string(child) + " (sleep)"));
    EXPECT_THAT(said, HasSubstr("that a killed run had left: "));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

pid_t ended_process() {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  return dead;
}

TEST(Segments, SameController_AreRemoved) {
  const test::TemporaryFolder folder;
  folder.write("stepbench-123-a", "");
  folder.write("stepbench-123-b", "");
  folder.write("stepbench-1234-a", "");
  folder.write("other-123-a", "");
  EXPECT_EQ(remove_segments(folder.path(), 123), 2);
  EXPECT_TRUE(fs::exists(folder / "stepbench-1234-a"));
  EXPECT_TRUE(fs::exists(folder / "other-123-a"));
  EXPECT_EQ(segment_prefix(123), "/stepbench-123-");
}

TEST(Segments, DeadController_IsStale) {
  const test::TemporaryFolder folder;
  const pid_t dead = ended_process();
  folder.write("stepbench-" + std::to_string(dead) + "-a", "");
  folder.write("stepbench-" + std::to_string(::getpid()) + "-a", "");
  folder.write("stepbench-", "");
  folder.write("stepbench-x-a", "");
  EXPECT_EQ(remove_stale_segments(folder.path()), 1);
  EXPECT_TRUE(fs::exists(folder / ("stepbench-" + std::to_string(::getpid()) + "-a")));
}

TEST(Segments, KilledRun_LeavesStaleTensors) {
  const test::TemporaryFolder folder;
  const pid_t controller = ended_process();
  const pid_t loader = ended_process();
  const std::string torch = "torch_" + std::to_string(loader) + "_1_0";
  folder.write(torch, "");
  EXPECT_EQ(remove_stale_segments(folder.path()), 0) << "perhaps another program's";
  ProcessNotes(folder.path(), controller).keep({loader, ::getpid(), 99'999'999, 999'999'999});
  EXPECT_EQ(remove_stale_segments(folder.path()), 2);
  EXPECT_FALSE(fs::exists(folder / torch));
}

TEST(Segments, NotesOfAContainer_NameItsProcesses) {
  const test::TemporaryFolder folder;
  const std::string torch = "torch_" + std::to_string(ended_process()) + "_1_0";  // lives there
  folder.write(torch, "");
  folder.write("stepbench-" + std::to_string(ended_process()) + "-processes",
               "pid:[1]\n" + torch.substr(6, torch.find('_', 6) - 6));
  EXPECT_EQ(remove_stale_segments(folder.path()), 1) << "the notes";
  EXPECT_TRUE(fs::exists(folder / torch));
}

TEST(Segments, PipeInPlaceOfNotes_IsNotRead) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder / ("stepbench-" + std::to_string(ended_process()) + "-processes");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(remove_stale_segments(folder.path()), 1);
}

TEST(Segments, EndedProcessOfTheLaunch_IsRemoved) {
  const test::TemporaryFolder folder;
  const pid_t dead = ended_process();
  const std::string ended = "torch_" + std::to_string(dead) + "_1_0";
  const std::string lives = "torch_" + std::to_string(::getpid()) + "_1_0";
  for (const std::string& name : {ended, lives, std::string("torch_1_0"), std::string("torch_")}) {
    folder.write(name, "");
  }
  EXPECT_EQ(remove_segments_of(folder.path(), {}), 0) << "another program's";
  EXPECT_EQ(remove_segments_of(folder.path(), {dead, ::getpid()}), 1);
  EXPECT_FALSE(fs::exists(folder / ended));
  EXPECT_TRUE(fs::exists(folder / lives));
}

}  // namespace
}  // namespace stepbench::run
