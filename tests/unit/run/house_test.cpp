// SPDX-License-Identifier: Apache-2.0
// What a run keeps in order around itself: locks, shared segments, the worker program, the data's
// digest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/base/error.h"
#include "harness/run/data_digest.h"
#include "harness/run/lock.h"
#include "harness/run/segments.h"
#include "harness/run/worker_program.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class House : public ::testing::Test {
 protected:
  House() {
    std::string pattern = fs::temp_directory_path() / "stepbench-test-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~House() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream{folder_ / name} << text;
  }
  fs::path folder_;
};

TEST_F(House, OneProcessAtATimeHoldsADevice) {
  std::string holder;
  {
    const auto lock = DeviceLock::try_acquire(folder_, "cuda:0", holder);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(DeviceLock::try_acquire(folder_, "cuda:0", holder));
    EXPECT_EQ(holder, std::to_string(::getpid()));
    EXPECT_TRUE(DeviceLock::try_acquire(folder_, "cpu", holder)) << "another device is free";
  }
  EXPECT_TRUE(DeviceLock::try_acquire(folder_, "cuda:0", holder));
  EXPECT_THAT(fs::is_empty(folder_), true) << "no lock file stays";
}

TEST_F(House, ALockGoesWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::string holder;
    const auto lock = DeviceLock::try_acquire(folder_, "cpu", holder);
    ::_exit(lock ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::string holder;
  EXPECT_TRUE(DeviceLock::try_acquire(folder_, "cpu", holder));
}

TEST_F(House, ALockThatCannotBeMadeSaysSo) {
  std::string holder;
  EXPECT_THROW(static_cast<void>(DeviceLock::try_acquire(folder_ / "nowhere", "cpu", holder)),
               ConfigError);
}

TEST_F(House, SegmentsOfOneControllerAreSwept) {
  write("stepbench-123-a", "");
  write("stepbench-123-b", "");
  write("stepbench-1234-a", "");
  write("other-123-a", "");
  EXPECT_EQ(remove_segments(folder_, 123), 2);
  EXPECT_TRUE(fs::exists(folder_ / "stepbench-1234-a"));
  EXPECT_TRUE(fs::exists(folder_ / "other-123-a"));
  EXPECT_EQ(segment_prefix(123), "/stepbench-123-");
}

TEST_F(House, SegmentsOfDeadControllersAreSwept) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  write("stepbench-" + std::to_string(dead) + "-a", "");
  write("stepbench-" + std::to_string(::getpid()) + "-a", "");
  write("stepbench-", "");
  write("stepbench-x-a", "");
  EXPECT_EQ(remove_stale_segments(folder_), 1);
  EXPECT_TRUE(fs::exists(folder_ / ("stepbench-" + std::to_string(::getpid()) + "-a")));
}

TEST_F(House, TheWorkerIsFoundBesideTheProgram) {
  write("stepbench-worker", "#!/bin/sh\n");
  fs::permissions(folder_ / "stepbench-worker", fs::perms::owner_all);
  EXPECT_EQ(find_worker("", folder_).path, folder_ / "stepbench-worker");
}

TEST_F(House, AMissingWorkerIsToldHowToBuild) {
  try {
    static_cast<void>(find_worker("", folder_));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--target stepbench-worker"));
    EXPECT_THAT(error.what(), HasSubstr("--worker PATH"));
  }
}

TEST_F(House, AScriptsBuildIdIsItsContent) {
  write("a", "#!/bin/sh\n");
  write("b", "#!/bin/sh\n");
  EXPECT_EQ(program_build_id(folder_ / "a"), program_build_id(folder_ / "b"));
  write("b", "#!/bin/sh\n#\n");
  EXPECT_NE(program_build_id(folder_ / "a"), program_build_id(folder_ / "b"));
}

TEST_F(House, AProgramsBuildIdIsTheLinkers) {
  const std::string id = program_build_id("/proc/self/exe");
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id, program_build_id("/proc/self/exe"));
}

TEST_F(House, TheDigestOfAFolderIsOfNamesAndSizesNotOfItsPlace) {
  write("one/cat/1.jpg", "aa");
  write("one/dog/2.jpg", "bbb");
  write("two/dog/2.jpg", "ccc");
  write("two/cat/1.jpg", "dd");
  EXPECT_EQ(path_digest(folder_ / "one"), path_digest(folder_ / "two"));
  write("two/cat/1.jpg", "d");
  EXPECT_NE(path_digest(folder_ / "one"), path_digest(folder_ / "two"));
  EXPECT_THAT(path_digest(folder_ / "three"), IsEmpty());
}

}  // namespace
}  // namespace stepbench
