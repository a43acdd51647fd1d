// SPDX-License-Identifier: Apache-2.0
// `stepbench runs` in a shell; its lists are in the corpus.
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

  [[nodiscard]] static std::vector<std::string> ids(const fs::path& folder,
                                                    std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"runs", folder.string(), "--format", "json"});
    const os::CommandResult result = stepbench(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    std::vector<std::string> found;
    const nlohmann::json said = nlohmann::json::parse(result.out);
    for (const auto& run : said.at("runs")) {
      found.push_back(run.at("run_id"));
    }
    return found;
  }

  test::TemporaryFolder results_;
};

TEST_F(RunsCommand, Selects_ByNameLabelTimeAndNumber) {
  const char* demo = "20260131-120000-demo";
  const char* resnet = "20260201-120000-resnet";
  const char* newest = "20260202-120000-demo";
  const fs::path all = results_.path();
  EXPECT_THAT(ids(all, {}), ElementsAre(newest, resnet, demo));
  EXPECT_THAT(ids(all, {"--name", "demo"}), ElementsAre(newest, demo));
  EXPECT_THAT(ids(all, {"--label", "branch=main"}), ElementsAre(demo));
  EXPECT_THAT(ids(all, {"--label", "branch"}), ElementsAre(resnet, demo));
  EXPECT_THAT(ids(all, {"--since", "2026-02-01"}), ElementsAre(newest, resnet));
  EXPECT_THAT(ids(all, {"--name", "demo", "--last", "1"}), ElementsAre(newest));
  EXPECT_THAT(ids(all, {"--name", "zzz"}), IsEmpty());
  EXPECT_THAT(ids(results_ / demo, {}), ElementsAre(demo));
}

TEST_F(RunsCommand, MissingFolderOrBadValue_IsRejected) {
  const std::string folder = results_.path().string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{folder + "x"}, "no such folder (did you mean"},
      {{(results_ / "20260131-120000-demo/box-1of1-7.jsonl").string()}, "is no folder"},
      {{folder, "--since", "monday"}, "--since: expected a day"},
      {{"--last", "0"}, "--last"},
      {{"--format", "yaml"}, "expected one of table, csv"}};
  for (auto [words, why] : wrong) {
    words.insert(words.begin(), "runs");
    const os::CommandResult result = stepbench(words);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(why));
  }
}

TEST_F(RunsCommand, UnreadableFolder_IsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "running as root, who may read everything";
  fs::permissions(results_ / "20260131-120000-demo", fs::perms::none);
  const os::CommandResult result = stepbench({"runs", results_.path().string()});
  fs::permissions(results_ / "20260131-120000-demo", fs::perms::owner_all);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, HasSubstr("cannot be read: Permission denied"));
}

}  // namespace
}  // namespace stepbench::runs
