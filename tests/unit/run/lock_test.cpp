// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/device_locks.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

TEST(DeviceLockTest, OneProcess_HoldsADevice) {
  const test::TemporaryFolder folder;
  std::string holder;
  {
    const auto lock = DeviceLock::try_acquire(folder.path(), "cuda:0", holder);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(DeviceLock::try_acquire(folder.path(), "cuda:0", holder));
    EXPECT_EQ(holder, std::to_string(::getpid()));
    EXPECT_TRUE(DeviceLock::try_acquire(folder.path(), "cpu", holder)) << "another device is free";
  }
  EXPECT_TRUE(DeviceLock::try_acquire(folder.path(), "cuda:0", holder));
  EXPECT_THAT(fs::is_empty(folder.path()), true) << "no lock file stays";
}

TEST(DeviceLockTest, ProcessEnd_ReleasesIt) {
  const test::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    std::string holder;
    const auto lock = DeviceLock::try_acquire(folder.path(), "cpu", holder);
    ::_exit(lock ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::string holder;
  EXPECT_TRUE(DeviceLock::try_acquire(folder.path(), "cpu", holder));
}

// Any user may make one in a folder that is writable by all.
TEST(DeviceLockTest, PipeOfItsName_IsNotWaitedFor) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "stepbench-cpu.lock").c_str(), 0444), 0);
  std::string holder;
  EXPECT_TRUE(DeviceLock::try_acquire(folder.path(), "cpu", holder));
}

TEST(DeviceLockTest, ImpossibleLock_IsAnError) {
  const test::TemporaryFolder folder;
  std::string holder;
  EXPECT_THROW(static_cast<void>(DeviceLock::try_acquire(folder / "nowhere", "cpu", holder)),
               ConfigError);
}

}  // namespace
}  // namespace stepbench::campaign
