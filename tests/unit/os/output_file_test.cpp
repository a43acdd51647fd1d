// SPDX-License-Identifier: Apache-2.0
#include "harness/os/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"

namespace stepbench::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
namespace fs = std::filesystem;

constexpr std::string_view kResult =
    R"({"kind":"run","schema":"stepbench.result","version":"1.4"})";

class CheckOutputFile : public ::testing::Test {
 protected:
  CheckOutputFile() {
    folder_.write("train.yaml", "workload: stub\n");
    folder_.write("run/host-1.jsonl", kResult);
    folder_.write("notes/log.jsonl", "{}\n");
  }
  void accepts(const fs::path& output) const {
    EXPECT_NO_THROW(check_output_file("--output", output, inputs_)) << output;
  }
  void refuses(const fs::path& output, const std::string& why) const {
    EXPECT_THAT([&] { check_output_file("--output", output, inputs_); },
                ThrowsMessage<ConfigError>(AllOf(StartsWith("--output: "), HasSubstr(why))))
        << output;
  }

  const test::TemporaryFolder folder_;
  const std::vector<fs::path> inputs_ = {folder_ / "train.yaml", folder_ / "run", ""};
};

TEST_F(CheckOutputFile, AnInputIsRefusedUnderAnyNameItHas) {
  fs::create_symlink(folder_ / "train.yaml", folder_ / "link.yaml");
  fs::create_hard_link(folder_ / "train.yaml", folder_ / "hard.yaml");
  const fs::path around = folder_.path() / "run" / ".." / "train.yaml";
  for (const fs::path& name :
       {folder_ / "train.yaml", folder_ / "link.yaml", folder_ / "hard.yaml", around}) {
    refuses(name, "is what this command reads");
  }
}

TEST_F(CheckOutputFile, AFileOfAFolderThatIsReadIsRefusedBehindALink) {
  fs::create_symlink(folder_ / "run/host-1.jsonl", folder_ / "link.csv");
  fs::create_hard_link(folder_ / "run/host-1.jsonl", folder_ / "hard.csv");
  refuses(folder_ / "link.csv", "among the results of a run");
  refuses(folder_ / "hard.csv", "is what this command reads");
}

TEST_F(CheckOutputFile, TheResultsOfARunAreNeitherReplacedNorJoinedByOtherFiles) {
  refuses(folder_ / "run/host-1.jsonl", "among the results of a run");
  refuses(folder_ / "run/new.jsonl", "among the results of a run");
  refuses(folder_ / "run/new.jsonl.gz", "among the results of a run");
  accepts(folder_ / "run/steps.npy");
  accepts(folder_ / "notes/log.jsonl");
}

TEST_F(CheckOutputFile, WhatCannotBeWrittenIsRefusedAndWhatCanIsLeftAsItIs) {
  refuses(folder_ / "absent/v.json", "there is no folder");
  refuses(folder_ / "run", "is a folder");
  accepts(folder_ / "new.json");
  EXPECT_FALSE(fs::exists(folder_ / "new.json"));
  accepts("/dev/null");
  accepts("");
}

TEST_F(CheckOutputFile, AFolderThatMayNotBeWrittenIsRefused) {
  fs::permissions(folder_ / "notes", fs::perms::owner_read | fs::perms::owner_exec);
  const bool is_root = ::access((folder_ / "notes").c_str(), W_OK) == 0;
  if (!is_root) refuses(folder_ / "notes/new.json", "Permission denied");
  fs::permissions(folder_ / "notes", fs::perms::owner_all);
}

TEST(OutputFile, PiecesStandThereTogetherOrNotAtAll) {
  const test::TemporaryFolder folder;
  folder.write("out.csv", "old\n");
  {
    stepbench::os::OutputFile left(std::string("--output"), folder / "out.csv");
    left.write("half of");
  }
  EXPECT_EQ(read_text(folder / "out.csv"), "old\n");
  stepbench::os::OutputFile file("--output", folder / "out.csv");
  file.write("first, ");
  EXPECT_EQ(read_text(folder / "out.csv"), "old\n");
  file.write("second\n");
  file.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "first, second\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

TEST(OutputFile, WithoutAPieceIsEmpty) {
  const test::TemporaryFolder folder;
  stepbench::os::OutputFile file("--output", folder / "out.csv");
  EXPECT_FALSE(fs::exists(folder / "out.csv"));
  file.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "");
}

}  // namespace
}  // namespace stepbench::os
