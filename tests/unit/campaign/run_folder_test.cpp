// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

TEST(RunFolder, TakenName_GetsANumber) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(make_run_folder(folder / "results", "20260131-120000-demo"),
            folder / "results/20260131-120000-demo");
  EXPECT_EQ(make_run_folder(folder / "results", "20260131-120000-demo"),
            folder / "results/20260131-120000-demo-2");
  EXPECT_TRUE(fs::is_directory(folder / "results/20260131-120000-demo-2"));
}

TEST(RunFolder, UnusableFolder_IsAnError) {
  const test::TemporaryFolder folder;
  folder.write("results", "a file");
  EXPECT_THAT([&] { (void)make_run_folder(folder / "results", "demo"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot make a folder for this run")));
  EXPECT_NO_THROW(check_resume_folder(""));
  EXPECT_NO_THROW(check_resume_folder(folder.path()));
  EXPECT_THAT([&] { check_resume_folder(folder / "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("none is not a run's folder")));
}

TEST(RunFolder, RunId_IsTheFolderName) {
  EXPECT_EQ(run_id_of("results/20260131-120000-demo"), "20260131-120000-demo");
  EXPECT_EQ(run_id_of("results/20260131-120000-demo/"), "20260131-120000-demo");
  EXPECT_EQ(run_id_of("results/other/../demo"), "demo");
}

TEST(RunFolder, NoWholeLine_HasNoResults) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(earlier_results("").launches.empty());
  EXPECT_TRUE(earlier_results(folder.path()).runs.empty());
  folder.write("verdict.json", "{}");  // `ab` on a disk that failed
  EXPECT_TRUE(earlier_results(folder.path()).runs.empty());
  for (const char* text : {"", R"({"kind":"run","schema":"stepbench.res)"}) {
    folder.write("box-1of1-7.jsonl", std::string_view(text));
    EXPECT_TRUE(earlier_results(folder.path()).runs.empty()) << text;
  }
  const test::TemporaryFolder other;
  other.write("notes.txt", "");
  EXPECT_THAT([&] { (void)earlier_results(other.path()); },
              ThrowsMessage<ConfigError>(HasSubstr("no results in it")));
}

}  // namespace
}  // namespace stepbench::campaign
