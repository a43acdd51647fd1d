// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/processes.h"

#include "harness/machine/environment.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

class ThreadTimesOf : public ::testing::Test {
 protected:
  const test::TemporaryFolder folder_;
};

TEST_F(ThreadTimesOf, Process_SumsItsThreads) {
  folder_.write("proc/7/task/7/schedstat", "500 30 2\n");
  folder_.write("proc/7/task/9/schedstat", "40 5 1\n");
  const auto all = machine::thread_times(folder_.path(), 7);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->cpu_ns, 540);
  EXPECT_EQ(all->waited_ns, 35);
  EXPECT_EQ(machine::thread_times(folder_.path(), 7, 9)->waited_ns, 5);
}

TEST_F(ThreadTimesOf, MissingFile_IsUnknownNotZero) {
  folder_.write("proc/7/task/7/stat", "7 (python) S 1");
  EXPECT_FALSE(machine::thread_times(folder_.path(), 7));
  EXPECT_FALSE(machine::thread_times(folder_.path(), 7, 7));
  EXPECT_FALSE(machine::thread_times(folder_.path(), 8)) << "a process that is gone";
  folder_.write("proc/8/task/8/schedstat", "not numbers\n");
  EXPECT_FALSE(machine::thread_times(folder_.path(), 8));
  EXPECT_FALSE(machine::storage_bytes_read(folder_.path(), 7));
  EXPECT_FALSE(machine::storage_stalled_ns(folder_.path()));
}

TEST_F(ThreadTimesOf, Storage_ExcludesThePageCache) {
  folder_.write("proc/7/io", "rchar: 900\nwchar: 1\nread_bytes: 4096\nwrite_bytes: 0\n");
  EXPECT_EQ(machine::storage_bytes_read(folder_.path(), 7), 4096);
  folder_.write("proc/pressure/io",
                "some avg10=0.00 avg60=0.00 avg300=0.41 total=3970\nfull avg10=0.00 total=9\n");
  EXPECT_EQ(machine::storage_stalled_ns(folder_.path()), 3'970'000);
}

TEST_F(ThreadTimesOf, Quota_LimitsTheCores) {
  folder_.write("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  EXPECT_DOUBLE_EQ(machine::usable_cores(folder_.path()), 4);
  folder_.write("proc/self/cgroup", "0::/\n");
  folder_.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  folder_.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(machine::usable_cores(folder_.path()), 1.5);
  folder_.write("sys/fs/cgroup/cpu.max", "1600000 100000\n");
  EXPECT_DOUBLE_EQ(machine::usable_cores(folder_.path()), 4) << "the cpuset allows less";
}

}  // namespace
}  // namespace stepbench
