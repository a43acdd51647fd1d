// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_facts.h"

#include <unistd.h>

#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class CoreWatchOf : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
    cpus_had(0);
    thread_had(getpid(), 0, 0);
  }

  // Advances both CPUs by a second, of which each was busy for `busy_ticks`.
  void cpus_had(int busy_ticks) {
    const std::string times =
        ' ' + std::to_string(busy_ticks) + " 0 0 " + std::to_string(100 - busy_ticks) + " 0 0 0 0";
    folder_.write("proc/stat", "cpu " + times + "\ncpu0" + times + "\ncpu1" + times + '\n');
  }
  void cpus_idle_since() { folder_.write("proc/stat", "cpu  0 0 0 0 0 0 0 0\n"); }

  void thread_had(int process, std::int64_t cpu_ns, std::int64_t waited_ns) {
    const std::string number = std::to_string(process);
    folder_.write("proc/" + number + "/task/" + number + "/schedstat",
                  std::to_string(cpu_ns) + ' ' + std::to_string(waited_ns) + " 1\n");
  }
  void storage_gave(int process, std::int64_t bytes) {
    folder_.write("proc/" + std::to_string(process) + "/io",
                  "read_bytes: " + std::to_string(bytes) + '\n');
  }

  const test::TemporaryFolder folder_;
  loader::CoreWatch watch_{folder_.path()};
};

TEST_F(CoreWatchOf, Worker_HasItsTimesInTheWindow) {
  thread_had(7, 5, 3);
  watch_.begin({{.process = 7}});
  thread_had(7, 1005, 203);
  watch_.end({{.process = 7}}, kSecond, 0, 0);
  EXPECT_EQ(watch_.facts().workers.cpu_ns, 1000);
  EXPECT_EQ(watch_.facts().workers.waited_ns, 200);
  EXPECT_EQ(watch_.facts().workers_lived_ns, kSecond);
}

TEST_F(CoreWatchOf, LateWorker_LivedForItsPart) {
  watch_.begin({});
  thread_had(7, 100, 20);
  watch_.end({{.process = 7}}, kSecond, 0, kSecond / 4);
  EXPECT_EQ(watch_.facts().workers.cpu_ns, 100);
  EXPECT_EQ(watch_.facts().workers_lived_ns, kSecond / 4);
}

TEST_F(CoreWatchOf, DeadWorker_IsInNoSum) {
  thread_had(7, 5, 3);
  thread_had(8, 50, 30);
  watch_.begin({{.process = 7}, {.process = 8}});
  thread_had(8, 60, 31);
  fs::remove_all(folder_.path() / "proc/7");
  watch_.end({{.process = 7}, {.process = 8}}, kSecond, 0, 0);
  EXPECT_EQ(watch_.facts().workers.cpu_ns, 10);
  EXPECT_EQ(watch_.facts().workers_lived_ns, kSecond) << "of the one that lived";
}

TEST_F(CoreWatchOf, ReusedPid_IsNeverNegative) {
  thread_had(7, 5000, 3000);
  watch_.begin({{.process = 7}});
  thread_had(7, 10, 1);
  watch_.end({{.process = 7}}, kSecond, 0, 0);
  EXPECT_GE(watch_.facts().workers.cpu_ns, 0);
  EXPECT_GE(watch_.facts().workers.waited_ns, 0);
}

TEST_F(CoreWatchOf, Others_AreTheRestOfTheCores) {
  cpus_idle_since();
  watch_.begin({});
  cpus_had(80);
  watch_.end({}, kSecond, kSecond / 2, 0);
  EXPECT_EQ(watch_.facts().others_ns, 2 * kSecond * 8 / 10 - kSecond / 2);
}

TEST_F(CoreWatchOf, UnreadableWorker_MakesStorageUnknown) {
  storage_gave(getpid(), 10);
  thread_had(7, 0, 0);
  storage_gave(7, 100);
  watch_.begin({{.process = 7}});
  storage_gave(7, 5100);
  watch_.end({{.process = 7}}, kSecond, 0, 0);
  EXPECT_EQ(watch_.facts().storage_bytes, 5000);

  loader::CoreWatch other(folder_.path());
  other.begin({{.process = 7}});
  fs::remove(folder_.path() / "proc/7/io");
  other.end({{.process = 7}}, kSecond, 0, 0);
  EXPECT_FALSE(other.facts().storage_bytes) << "never guessed";
}

TEST_F(CoreWatchOf, MissingCounters_AreUnknown) {
  fs::remove_all(folder_.path() / "proc");
  watch_.begin({{.process = 7}});
  watch_.end({{.process = 7}}, kSecond, kSecond, 0);
  const loader::CoreFacts& facts = watch_.facts();
  EXPECT_FALSE(facts.training);
  EXPECT_FALSE(facts.others_ns);
  EXPECT_FALSE(facts.storage_bytes);
  EXPECT_FALSE(facts.storage_stalled_ns);
  EXPECT_EQ(facts.workers_lived_ns, 0);
}

}  // namespace
}  // namespace stepbench
