// SPDX-License-Identifier: Apache-2.0
#include "harness/run/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/temporary_folder.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;

TEST(Segments, OfOneControllerAreRemoved) {
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

TEST(Segments, OfDeadControllersAreStale) {
  const test::TemporaryFolder folder;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  folder.write("stepbench-" + std::to_string(dead) + "-a", "");
  folder.write("stepbench-" + std::to_string(::getpid()) + "-a", "");
  folder.write("stepbench-", "");
  folder.write("stepbench-x-a", "");
  EXPECT_EQ(remove_stale_segments(folder.path()), 1);
  EXPECT_TRUE(fs::exists(folder / ("stepbench-" + std::to_string(::getpid()) + "-a")));
}

TEST(Segments, OfTensorsAreRemovedWhereTheirProcessWasOfTheLaunchAndHasEnded) {
  const test::TemporaryFolder folder;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
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
