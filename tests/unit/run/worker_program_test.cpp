// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(FindWorker, LooksBesideTheProgram) {
  const test::TemporaryFolder folder;
  folder.write("stepbench-worker", "#!/bin/sh\n");
  fs::permissions(folder / "stepbench-worker", fs::perms::owner_all);
  EXPECT_EQ(find_worker("", folder.path()).path, folder / "stepbench-worker");
}

TEST(FindWorker, TellsHowToBuildAMissingOne) {
  const test::TemporaryFolder folder;
  try {
    static_cast<void>(find_worker("", folder.path()));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--target stepbench-worker"));
    EXPECT_THAT(error.what(), HasSubstr("--worker PATH"));
  }
}

TEST(ProgramBuildId, OfAScriptIsItsContent) {
  const test::TemporaryFolder folder;
  folder.write("a", "#!/bin/sh\n");
  folder.write("b", "#!/bin/sh\n");
  EXPECT_EQ(program_build_id(folder / "a"), program_build_id(folder / "b"));
  folder.write("b", "#!/bin/sh\n#\n");
  EXPECT_NE(program_build_id(folder / "a"), program_build_id(folder / "b"));
}

TEST(ProgramBuildId, OfAProgramIsTheLinkers) {
  const std::string id = program_build_id("/proc/self/exe");
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id, program_build_id("/proc/self/exe"));
}

}  // namespace
}  // namespace stepbench::run
