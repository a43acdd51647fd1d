// SPDX-License-Identifier: Apache-2.0
// `stepbench runs` as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/unit/runs/made_runs.h"
#include "tests/unit/shell/program.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::stepbench;
using testing_runs::make_run;

class RunsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    make_run(results_, {.labels = {{"branch", Value{std::string("main")}}}});
    make_run(results_, {.id = "20260201-120000-resnet",
                        .started_utc = "2026-02-01T12:00:00Z",
                        .labels = {{"branch", Value{std::string("fast")}}}});
    make_run(results_,
             {.id = "20260202-120000-demo", .started_utc = "2026-02-02T12:00:00Z", .end = ""});
  }

  [[nodiscard]] std::vector<std::string> ids(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"runs", results_.path().string(), "--format", "json"});
    const os::CommandResult result = stepbench(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    std::vector<std::string> found;
    const auto listed = nlohmann::json::parse(result.out);
    for (const auto& run : listed.at("runs")) {
      found.push_back(run.at("run_id"));
    }
    return found;
  }

  test::TemporaryFolder results_;
};

TEST_F(RunsCommand, ListsTheNewestFirst) {
  EXPECT_THAT(ids({}), ElementsAre("20260202-120000-demo", "20260201-120000-resnet",
                                   "20260131-120000-demo"));
  const os::CommandResult table = stepbench({"runs", "--results", results_.path().string()});
  EXPECT_EQ(table.exit_status, 0);
  EXPECT_THAT(table.out, HasSubstr("3 runs, "));
  EXPECT_THAT(table.out, HasSubstr("unfinished"));
}

TEST_F(RunsCommand, ChoosesByNameLabelTimeAndNumber) {
  EXPECT_THAT(ids({"--name", "demo"}), ElementsAre("20260202-120000-demo", "20260131-120000-demo"));
  EXPECT_THAT(ids({"--label", "branch=main"}), ElementsAre("20260131-120000-demo"));
  EXPECT_THAT(ids({"--label", "branch"}),
              ElementsAre("20260201-120000-resnet", "20260131-120000-demo"));
  EXPECT_THAT(ids({"--since", "2026-02-01"}),
              ElementsAre("20260202-120000-demo", "20260201-120000-resnet"));
  EXPECT_THAT(ids({"--name", "demo", "--last", "1"}), ElementsAre("20260202-120000-demo"));
  EXPECT_THAT(ids({"--name", "zzz"}), IsEmpty());
}

TEST_F(RunsCommand, SaysThatNothingIsThere) {
  const test::TemporaryFolder empty;
  const os::CommandResult none = stepbench({"runs", empty.path().string()});
  EXPECT_EQ(none.exit_status, 0);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_THAT(none.err, HasSubstr("no run in " + empty.path().string()));
  const os::CommandResult filtered = stepbench({"runs", results_.path().string(), "--name", "zzz"});
  EXPECT_THAT(filtered.err, HasSubstr("is like that; without a filter there would be 3 runs"));
}

TEST_F(RunsCommand, ShowsOneRunThatIsNamedItself) {
  const os::CommandResult one =
      stepbench({"runs", (results_ / "20260131-120000-demo").string(), "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(one.out).at("runs").size(), 1U);
}

TEST_F(RunsCommand, RefusesWhatIsNoFolderAndWrongValues) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const os::CommandResult result = stepbench(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  };
  const std::string absent =
      (results_.path().parent_path() / (results_.path().filename().string() + "x")).string();
  EXPECT_THAT(refused({"runs", absent}), HasSubstr("no such folder (did you mean"));
  EXPECT_THAT(refused({"runs", (results_ / "20260131-120000-demo/box-1of1-7.jsonl").string()}),
              HasSubstr("is no folder"));
  EXPECT_THAT(refused({"runs", results_.path().string(), "--since", "monday"}),
              HasSubstr("--since: expected a day"));
  EXPECT_THAT(refused({"runs", "--last", "0"}), HasSubstr("--last"));
  EXPECT_THAT(refused({"runs", "--format", "yaml"}), HasSubstr("expected one of table, csv"));
}

TEST_F(RunsCommand, SaysWhichFolderItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "running as root, who may read everything";
  fs::permissions(results_ / "20260131-120000-demo", fs::perms::none);
  const os::CommandResult result = stepbench({"runs", results_.path().string()});
  fs::permissions(results_ / "20260131-120000-demo", fs::perms::owner_all);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, HasSubstr("cannot be read: Permission denied"));
}

TEST_F(RunsCommand, IsCompletedWithFoldersCommandsAndOptions) {
  EXPECT_THAT(stepbench({"__complete", "runs", "pru"}).out, HasSubstr("prune"));
  EXPECT_THAT(testing::lines_of_text(stepbench({"__complete", "runs", "--format", "m"}).out),
              ElementsAre("markdown"));
  EXPECT_THAT(stepbench({"help", "runs"}).out,
              HasSubstr("stepbench runs [DIR] [OPTIONS]\n  stepbench runs COMMAND\n"));
}

}  // namespace
}  // namespace stepbench::runs
