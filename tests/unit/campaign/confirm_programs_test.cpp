// SPDX-License-Identifier: Apache-2.0
// Where a night's program lies now, and copies of it that start from elsewhere.
#include "harness/campaign/confirm_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/command.h"
#include "tests/temporary_folder.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::chrono::milliseconds kAskLimit = std::chrono::seconds(60);

run::WorkerProgram script(const test::TemporaryFolder& folder, const std::string& name,
                          const std::string& text) {
  folder.write(name, "#!/bin/sh\n" + text);
  fs::permissions(folder / name, fs::perms::owner_all);
  return {folder / name, run::program_build_id(folder / name)};
}

std::string output_of(const run::WorkerProgram& program) {
  return os::run_command({program.path.string()}, "", kAskLimit).out;
}

TEST(ProgramOfNight, IsAKeptOneBeforeTheOneOfTheNightAndNeverAnotherBuild) {
  const test::TemporaryFolder folder;
  const run::WorkerProgram here = script(folder, "worker", "echo 1\n");
  const run::WorkerProgram kept = script(folder, "kept/worker", "echo 1\n");
  const track::TrackedRun night{.build_id = here.build_id, .worker_path = here.path.string()};
  EXPECT_EQ(program_of_night(night, {}).value().path, here.path);
  const std::vector<track::KeptBuild> builds = {{.build_id = "other", .worker = folder / "other"},
                                                {.build_id = kept.build_id, .worker = kept.path}};
  EXPECT_EQ(program_of_night(night, builds).value().path, kept.path);
  script(folder, "kept/worker", "echo 2\n");
  EXPECT_EQ(program_of_night(night, builds).value().path, here.path) << "the kept one was changed";
  script(folder, "worker", "echo 3\n");
  EXPECT_FALSE(program_of_night(night, builds).has_value());
  EXPECT_FALSE(program_of_night({}, builds).has_value()) << "a night that tells no build";
}

TEST(FreshCopy, FindsWhatLiesBesideTheProgramThatALinkLeadsTo) {
  const test::TemporaryFolder folder;
  folder.write("built/bin/beside.txt", "beside ");
  folder.write("built/lib/library.txt", "library");
  const run::WorkerProgram program =
      script(folder, "built/bin/worker",
             "here=$(dirname \"$0\")\ncat \"$here/beside.txt\" \"$here/../lib/library.txt\"\n");
  fs::create_symlink(program.path, folder / "current");
  for (const fs::path& from : {program.path, folder / "current"}) {
    const run::WorkerProgram copy =
        fresh_copy({from, program.build_id}, folder / ("fresh of " + from.filename().string()));
    EXPECT_NE(copy.path, program.path);
    EXPECT_FALSE(fs::is_symlink(copy.path));
    EXPECT_EQ(run::program_build_id(copy.path), program.build_id);
    EXPECT_EQ(output_of(copy), "beside library");
  }
  EXPECT_THAT(
      [&] {
        (void)fresh_copy({folder / "nothing", "id"}, folder / "fresh");
      },
      ThrowsMessage<ConfigError>(HasSubstr("cannot take a copy of")));
}

TEST(FreshFolder, HasPathsOfDifferentLengthsThatFollowFromTheSeedAndIsRemoved) {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "fresh";
  fs::create_directories(path / "left by a process that died");
  {
    const FreshFolder fresh(path);
    EXPECT_FALSE(fs::exists(path));
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const FreshFolder::Places places = fresh.places(seed);
      ASSERT_LT(places.good.string().size(), places.tonight.string().size());
      ASSERT_LT(places.tonight.filename().string().size(), 100U);
      ASSERT_EQ(places.good, fresh.places(seed).good);
    }
    EXPECT_NE(fresh.places(1).good, fresh.places(2).good);
    (void)fresh_copy(script(folder, "worker", "echo 1\n"), fresh.places(1).good);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(folder / "worker")) << "what was linked to stays";
}

}  // namespace
}  // namespace stepbench::campaign
