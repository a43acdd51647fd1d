// SPDX-License-Identifier: Apache-2.0
#include "harness/os/files.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::os {
namespace {

constexpr std::string_view kResult =
    R"({"kind":"run","schema":"stepbench.result","version":"1.4"})";

class CheckFiles : public ::testing::Test {
 protected:
  CheckFiles() {
    folder_.write("train.yaml", "workload: stub\n");
    folder_.write("run/host-1.jsonl", kResult);
    folder_.write("notes/log.jsonl", "{}\n");
  }
  void accepts(const fs::path& output) const { EXPECT_NO_THROW(check(output)) << output; }
  void refuses(const fs::path& output, const std::string& why) const {
    EXPECT_THAT([&] { check(output); },
                ThrowsMessage<ConfigError>(AllOf(StartsWith("--output: "), HasSubstr(why))))
        << output;
  }

  void check(const fs::path& output) const {
    CommandFiles files{.outputs = {{"--output", output}}};
    for (const fs::path& input : inputs_) files.inputs.push_back({"RUN", input});
    check_files(files);
  }

  const test::TemporaryFolder folder_;
  const std::vector<fs::path> inputs_ = {folder_ / "train.yaml", folder_ / "run", ""};
};

TEST_F(CheckFiles, InputUnderAnyName_IsRejected) {
  fs::create_symlink(folder_ / "train.yaml", folder_ / "link.yaml");
  fs::create_hard_link(folder_ / "train.yaml", folder_ / "hard.yaml");
  const fs::path around = folder_.path() / "run" / ".." / "train.yaml";
  for (const fs::path& name :
       {folder_ / "train.yaml", folder_ / "link.yaml", folder_ / "hard.yaml", around}) {
    refuses(name, "is what this command reads");
  }
}

TEST_F(CheckFiles, FileOfAnInputFolder_IsRejected) {
  fs::create_symlink(folder_ / "run/host-1.jsonl", folder_ / "link.csv");
  fs::create_hard_link(folder_ / "run/host-1.jsonl", folder_ / "hard.csv");
  refuses(folder_ / "link.csv", "among the results of a run");
  refuses(folder_ / "hard.csv", "is what this command reads");
}

TEST_F(CheckFiles, ResultsOfARun_AreProtected) {
  refuses(folder_ / "run/host-1.jsonl", "among the results of a run");
  refuses(folder_ / "run/new.jsonl", "among the results of a run");
  refuses(folder_ / "run/new.jsonl.gz", "among the results of a run");
  accepts(folder_ / "run/steps.npy");
  refuses(folder_ / "notes/log.jsonl", "give --force");
}

TEST_F(CheckFiles, FilledFolder_HoldsNoInput) {
  const auto fill = [&](const fs::path& folder) {
    check_files({.inputs = {{"--db", folder_ / "train.yaml"}, {"--events", folder_ / "absent/e"}},
                 .output_folders = {{"--site", folder}}});
  };
  fs::create_directories(folder_ / "site/deep");
  fs::create_directories(folder_ / "other");
  fs::create_symlink(folder_ / "train.yaml", folder_ / "site/script.js");
  fs::create_hard_link(folder_ / "train.yaml", folder_ / "other/script.js");
  fs::create_directory_symlink(folder_.path(), folder_ / "around");
  for (const fs::path& folder :
       {folder_.path(), folder_ / "site", folder_ / "other", folder_ / "around"}) {
    EXPECT_THAT([&] { fill(folder); },
                ThrowsMessage<ConfigError>(AllOf(StartsWith("--site: " + folder.string()),
                                                 HasSubstr("holds what this command reads (--db"))))
        << folder;
  }
  EXPECT_THAT([&] { fill(folder_ / "train.yaml"); },
              ThrowsMessage<ConfigError>(HasSubstr("is not a folder")));
  EXPECT_NO_THROW(fill(folder_ / "site/deep"));
  EXPECT_NO_THROW(fill(folder_ / "absent"));
}

TEST_F(CheckFiles, Unwritable_IsRejected) {
  refuses(folder_ / "absent/v.json", "there is no folder");
  refuses(folder_ / "run", "is a folder");
  refuses(folder_ / "new/", "is the name of a folder");
  accepts(folder_ / "new.json");
  EXPECT_FALSE(fs::exists(folder_ / "new.json"));
  refuses("/dev/zero", "is a device");
  accepts("/dev/null");
  accepts("-");
  accepts("");
}

TEST_F(CheckFiles, ForeignFile_IsRejectedUnlessForced) {
  folder_.write("helper.py", "import stepbench_worker\n");
  folder_.write("notes.md", "# My notes on stepbench\n");
  folder_.write("page.html", "<!doctype html><title>mine, of stepbench</title>");
  folder_.write("tests.xml", "<?xml version=\"1.0\"?><testsuites name=\"mine\">");
  folder_.write("package.json", "{\n  \"scripts\": {\"bench\": \"stepbench run\"}\n}\n");
  folder_.write("lock.json", R"({"name":"mine","dependencies":{"stepbench":"0.2"}})");
  folder_.write("lint.json", R"({"root":true,"case_sensitive":true})");
  for (const char* name : {"helper.py", "notes.md", "page.html", "tests.xml", "package.json",
                           "lock.json", "lint.json"}) {
    refuses(folder_ / name, "give --force");
    EXPECT_NO_THROW(check_files({.outputs = {{"--output", folder_ / name, true}}})) << name;
  }
  folder_.write("empty.py", "");
  accepts(folder_ / "empty.py");
}

TEST_F(CheckFiles, OwnFile_IsReplaced) {
  for (const char* text :
       {"<!DOCTYPE html>\n<meta name=\"generator\" content=\"stepbench\">",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stepbench\" tests=\"1\">",
        "# TYPE stepbench_run_info gauge\n", "<!-- stepbench-run -->\n", "case_id,run_id\n",
        "series_id,experiment\n", "base,candidate,case_id,workload\n",
        "{\"cases\":[{\"case_id\":\"1\"}]}", R"({"columns":[{"name":"self_cpu","unit":"ns"}]})",
        R"({"context":{"date":"2026-01-31","stepbench_version":"0.2.0"}})",
        "{\"schema\":\"stepbench.verdict\"}", "# Found by `stepbench tune` among 3 points"}) {
    folder_.write("old", text);
    accepts(folder_ / "old");
  }
}

TEST_F(CheckFiles, LinkToAnotherFolder_IsRejected) {
  fs::create_symlink("notes/new.json", folder_ / "away.json");
  fs::create_symlink("near.json", folder_ / "link.json");
  refuses(folder_ / "away.json", "is a link to");
  accepts(folder_ / "link.json");
  EXPECT_THROW(check_files({.outputs = {{"--output", folder_ / "away.json", true}}}),
               OutputRefused);
}

TEST_F(CheckFiles, ReadOnlyFolder_IsRejected) {
  fs::permissions(folder_ / "notes", fs::perms::owner_read | fs::perms::owner_exec);
  const bool is_root = ::access((folder_ / "notes").c_str(), W_OK) == 0;
  if (!is_root) refuses(folder_ / "notes/new.json", "Permission denied");
  fs::permissions(folder_ / "notes", fs::perms::owner_all);
}

TEST_F(CheckFiles, MissingFile_IsFoundByItsFolder) {
  fs::create_directory_symlink(folder_ / "notes", folder_ / "same");
  fs::create_symlink(folder_ / "notes/new.db", folder_ / "dangling");
  for (const char* name : {"notes/new.db", "same/new.db", "dangling", "run/../same/./new.db"}) {
    const CommandFiles files{.inputs = {{"--db", folder_ / "notes/new.db"}},
                             .outputs = {{"--output", folder_ / name}}};
    EXPECT_THROW(check_files(files), OutputRefused) << name;
  }
  const CommandFiles other{.inputs = {{"--db", folder_ / "notes/new.db"}},
                           .outputs = {{"--output", folder_ / "notes/newer.db"}}};
  EXPECT_NO_THROW(check_files(other));
}

TEST_F(CheckFiles, TwoOutputs_AreNotOneFile) {
  fs::create_symlink(folder_ / "new.json", folder_ / "link.json");
  const CommandFiles files{
      .outputs = {{"--junit", folder_ / "new.json"}, {"--report", folder_ / "link.json"}}};
  EXPECT_THAT([&] { check_files(files); },
              ThrowsMessage<OutputRefused>(
                  AllOf(StartsWith("--report: "), HasSubstr("is the same file as --junit"))));
}

TEST_F(CheckFiles, CircularLink_IsRejected) {
  fs::create_symlink(folder_ / "b", folder_ / "a");
  fs::create_symlink(folder_ / "a", folder_ / "b");
  EXPECT_NO_FATAL_FAILURE((void)resolved_path(folder_ / "a/file"));
  refuses(folder_ / "a", "is a link to itself");
}

class NearFile : public ::testing::Test {
 protected:
  NearFile() {
    for (const char* name : {"train.yaml", "configs/quickstart.yaml"}) folder_.write(name, "");
  }

  [[nodiscard]] std::string of(const fs::path& name) const {
    return similar_file_hint(folder_.path() / name);
  }
  [[nodiscard]] std::string meant(const fs::path& name) const {
    return " (did you mean '" + (folder_.path() / name).string() + "'?)";
  }

  test::TemporaryFolder folder_;
};

TEST_F(NearFile, NearestEntryOrExperiment_IsSuggested) {
  EXPECT_EQ(of("trian.yaml"), meant("train.yaml"));
  EXPECT_EQ(of("train.yml"), meant("train.yaml"));
  EXPECT_EQ(of("config"), meant("configs"));
  EXPECT_EQ(of("configs/quickstrat.yaml"), meant("configs/quickstart.yaml"));
  EXPECT_EQ(of("quickstrat.yaml"), meant("configs/quickstart.yaml"));
  EXPECT_EQ(of("quickstart.yaml"), meant("configs/quickstart.yaml"));
  EXPECT_EQ(of("something-else"), "");
  EXPECT_EQ(of("other.yaml"), "");
  EXPECT_EQ(of("no-folder/train.yaml"), "");
  EXPECT_EQ(similar_file_hint(""), "");
}

TEST_F(NearFile, FoundButNotOpened_IsNotAbsent) {
  fs::create_symlink("loop", folder_.path() / "loop");
  fs::create_symlink("gone.yaml", folder_.path() / "link");
  for (const auto& [file, why] :
       {std::pair<std::string, std::string>{"none", "no such file"},
        {"train.yaml/x", "no such file"},
        {"loop", "cannot be opened: a symbolic link leads to itself"},
        {"loop/train.yaml", "cannot be opened: a symbolic link leads to itself"},
        {"link", "is a link to gone.yaml, which does not exist"},
        {std::string(300, 'x'), "cannot be opened: File name too long"}}) {
    EXPECT_EQ(why_absent(folder_.path() / file, "no such file"), why);
  }
}

}  // namespace
}  // namespace stepbench::os
