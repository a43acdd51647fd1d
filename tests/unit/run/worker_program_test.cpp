// SPDX-License-Identifier: Apache-2.0
// Finding the worker, and the identity of it and its data.
#include "harness/run/worker_program.h"
#include "harness/base/error.h"
#include "harness/run/run_header.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

TEST(FindWorker, Missing_ShowsTheBuildCommand) {
  const test::TemporaryFolder folder;
  EXPECT_THAT([&] { static_cast<void>(find_worker("", folder.path())); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("--target stepbench-worker"), HasSubstr("--worker PATH"))));
  folder.write("stepbench-worker", "#!/bin/sh\n");
  fs::permissions(folder / "stepbench-worker", fs::perms::owner_all);
  EXPECT_EQ(find_worker("", folder.path()).path, folder / "stepbench-worker");
}

TEST(ProgramBuildId, Script_UsesItsContent) {
  const test::TemporaryFolder folder;
  folder.write("a", "#!/bin/sh\n");
  folder.write("b", "#!/bin/sh\n");
  EXPECT_EQ(program_build_id(folder / "a"), program_build_id(folder / "b"));
  folder.write("b", "#!/bin/sh\n#\n");
  EXPECT_NE(program_build_id(folder / "a"), program_build_id(folder / "b"));
}

TEST(ProgramBuildId, Program_UsesTheLinkersId) {
  const std::string id = program_build_id("/proc/self/exe");
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id, program_build_id("/proc/self/exe"));
}

TEST(DataDigest, NamesAndSizes_MakeIt) {
  const test::TemporaryFolder folder;
  folder.write("one/cat/1.jpg", "aa");
  folder.write("one/dog/2.jpg", "bbb");
  folder.write("two/dog/2.jpg", "ccc");
  folder.write("two/cat/1.jpg", "dd");
  EXPECT_EQ(path_digest(folder / "one"), path_digest(folder / "two"));
  folder.write("two/cat/1.jpg", "d");
  EXPECT_NE(path_digest(folder / "one"), path_digest(folder / "two"));
  EXPECT_EQ(path_digest(folder / "three"), "");
}

}  // namespace
}  // namespace stepbench::run
