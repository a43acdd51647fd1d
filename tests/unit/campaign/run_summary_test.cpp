// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "harness/record/result_file.h"
#include "harness/text/time_text.h"
#include "tests/testing.h"
#include "tests/unit/campaign/made_runs.h"

namespace stepbench::campaign {
namespace {

using testing_runs::MadeRun;
using testing_runs::make_run;

TEST(RunSummary, HeaderAndLaunches_AreSummarised) {
  const test::TemporaryFolder results;
  const fs::path folder = make_run(results, {.labels = {{"branch", Value{std::string("main")}}}});
  const RunSummary run = summarise_run(folder);
  EXPECT_EQ(run.broken, "");
  EXPECT_EQ(run.run_id, "20260131-120000-demo");
  EXPECT_EQ(run.name, "demo");
  EXPECT_EQ(run.git_sha, "0123456789abcdef");
  EXPECT_EQ(run.git_branch, "main");
  EXPECT_FALSE(run.git_dirty);
  EXPECT_EQ(run.cases, 2);
  EXPECT_EQ(run.ok, 2);
  EXPECT_EQ(run.failed, 0);
  EXPECT_EQ(run.launches, 6);
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_EQ(run.bytes, fs::file_size(folder / "box-1of1-7.jsonl"));
  EXPECT_EQ(to_text(run.labels.at("branch")), "main");
}

TEST(RunSummary, FailedLaunch_FailsItsCase) {
  const test::TemporaryFolder results;
  const auto spoil = [](record::LaunchRow& row) {
    const std::string& id = row.key.case_id;
    if (id == "case1" && row.key.launch == 2) row.outcome = Outcome::failed("out of memory");
    if (id == "case2") row.outcome = Outcome::skipped("no GPU");
  };
  const RunSummary run = summarise_run(make_run(results, {.cases = 3, .change = spoil}));
  EXPECT_EQ(run.ok, 1);
  EXPECT_EQ(run.failed, 1);
  EXPECT_EQ(run.skipped, 1);
  EXPECT_EQ(run.launches, 5);
}

TEST(RunSummary, LaterSuccess_ReplacesAFailure) {
  const test::TemporaryFolder results;
  MadeRun first{
      .cases = 1, .launches = 1, .end = "interrupted", .change = [](record::LaunchRow& row) {
        row.outcome = {Outcome::Kind::kFailed, "killed"};
      }};
  make_run(results, first);
  const RunSummary run = summarise_run(make_run(results, {.started_utc = "2026-01-31T13:00:00Z",
                                                          .file = "box-1of1-9.jsonl",
                                                          .cases = 1,
                                                          .launches = 1}));
  EXPECT_EQ(run.ok, 1);
  EXPECT_EQ(run.failed, 0);
  EXPECT_EQ(run.cases, 1) << "a resumed run has the same cases, not twice as many";
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_EQ(run.started_utc, "2026-01-31T12:00:00Z");
}

TEST(RunSummary, Shards_AddUp) {
  const test::TemporaryFolder results;
  make_run(results, {.file = "a.jsonl", .context = {{"shard", Value{std::string("1of2")}}}});
  const RunSummary run = summarise_run(make_run(
      results,
      {.file = "b.jsonl",
       .cases = 1,
       .end = "",
       .context = {{"shard", Value{std::string("2of2")}}},
       .change = [](record::LaunchRow& row) { row.point_id = row.key.case_id = "other"; }}));
  EXPECT_EQ(run.cases, 3);
  EXPECT_EQ(run.ok, 3);
  EXPECT_EQ(run.state, RunState::kUnfinished);
}

TEST(RunSummary, Campaign_HasItsVerdict) {
  const test::TemporaryFolder results;
  const MadeRun made{.context = {{"ab_seed", Value{std::int64_t{7}}}}};
  EXPECT_EQ(summarise_run(make_run(results, made)).kind, "ab");
  EXPECT_EQ(summarise_run(results / made.id).verdict, "");
  results.write(made.id + "/verdict.json", R"({"exit_code":1,"verdict":"regression"})"
                                           "\n");
  EXPECT_EQ(summarise_run(results / made.id).verdict, "regression");
  results.write(made.id + "/verdict.json", "{cut");
  EXPECT_EQ(summarise_run(results / made.id).verdict, "");
}

TEST(RunSummary, OpenFile_IsRunning) {
  const test::TemporaryFolder results;
  fs::create_directory(results / "20260131-120000-live");
  const fs::path folder = results / "20260131-120000-live";
  record::ResultWriter writer(folder / "box-1of1-7.jsonl");
  EXPECT_THAT(summarise_run(folder).broken, HasSubstr("has no complete line"));
  writer.write(record::RunRow{.run_id = "20260131-120000-live", .cases = 4});
  EXPECT_EQ(summarise_run(folder).state, RunState::kRunning);
  EXPECT_EQ(summarise_run(folder).cases, 4);
}

TEST(RunSummary, UnreadableFolder_ReportsTheCause) {
  const test::TemporaryFolder results;
  const auto broken = [&](const std::string& name, const std::string& file,
                          const std::string& text) {
    fs::create_directory(results / name);
    if (!file.empty()) results.write(name + '/' + file, text);
    return summarise_run(results / name).broken;
  };
  EXPECT_THAT(broken("empty", "", ""), HasSubstr("holds no result file"));
  EXPECT_THAT(broken("foreign", "x.jsonl", "{\"a\":1}\n"), HasSubstr("x.jsonl: "));
  const char* later = R"({"kind":"run","schema":"stepbench.result","version":"9.0.0"})";
  EXPECT_THAT(broken("later", "x.jsonl", std::string(later) + '\n'), HasSubstr("9.0.0"));
  EXPECT_THAT(broken("binary", "x.jsonl", {"\x00\xff\n", 3}), HasSubstr("x.jsonl: "));
  EXPECT_THAT(broken("gzip", "x.jsonl.gz", "\x1f\x8b broken"), HasSubstr("gzip"));
}

TEST(RunSummary, CutLastLine_IsIgnored) {
  const test::TemporaryFolder results;
  const fs::path folder = make_run(results, {});
  fs::resize_file(folder / "box-1of1-7.jsonl", fs::file_size(folder / "box-1of1-7.jsonl") - 200);
  const RunSummary run = summarise_run(folder);
  EXPECT_EQ(run.broken, "");
  EXPECT_EQ(run.state, RunState::kUnfinished);
  EXPECT_EQ(run.launches, 5);
}

// While a file is packed, the plain one is still there.
TEST(RunSummary, PlainAndPacked_AreReadOnce) {
  const test::TemporaryFolder results;
  const fs::path folder = make_run(results, {});
  const std::string packed =
      record::gzip_text(record::Input::read(folder / "box-1of1-7.jsonl").text());
  results.write("20260131-120000-demo/box-1of1-7.jsonl.gz", packed);
  results.write("20260131-120000-demo/box-1of1-7.jsonl.gz.tmp", "half");
  EXPECT_EQ(summarise_run(folder).launches, 6);
  EXPECT_EQ(record::read_results(folder).launches.size(), 6U);
  fs::remove(folder / "box-1of1-7.jsonl");
  EXPECT_EQ(summarise_run(folder).launches, 6);
}

TEST(RunFolders, ResultsOrRunName_MakeOne) {
  const test::TemporaryFolder results;
  make_run(results, {});
  make_run(results, {.id = "renamed"});
  fs::create_directory(results / "notes");
  fs::create_directory(results / "20260201-000000-empty");
  results.write("loose.txt", "");
  fs::create_directory_symlink("20260131-120000-demo", results / "latest");
  std::vector<std::string> names;
  for (const fs::path& folder : run_folders(results.path())) names.push_back(folder.filename());
  EXPECT_THAT(names, ElementsAre("20260131-120000-demo", "20260201-000000-empty", "renamed"));
  EXPECT_THROW((void)run_folders(results / "loose.txt"), ConfigError);
  EXPECT_THROW((void)run_folders(results / "absent"), ConfigError);
}

TEST(RunFolders, SeveralRuns_AreListedNewestFirst) {
  const test::TemporaryFolder results;
  EXPECT_THAT(summarise_runs(results.path()), IsEmpty());
  make_run(results, {.id = "renamed", .started_utc = "2026-03-01T00:00:00Z"});
  make_run(results, {});
  fs::create_directory(results / "20260201-000000-empty");
  std::vector<std::string> names;
  for (const RunSummary& run : summarise_runs(results.path())) {
    names.push_back(run.folder.filename());
  }
  EXPECT_THAT(names, ElementsAre("renamed", "20260201-000000-empty", "20260131-120000-demo"));
}

TEST(RunFolders, UnreadableFolder_IsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "running as root, who may read everything";
  const test::TemporaryFolder results;
  const fs::path folder = make_run(results, {});
  fs::permissions(folder, fs::perms::none);
  const std::vector<RunSummary> all = summarise_runs(results.path());
  fs::permissions(folder, fs::perms::owner_all);
  EXPECT_THAT(all.at(0).broken, HasSubstr("cannot be read: Permission denied"));
}

RunSummary run_of_today() {
  return {.folder = "results/20260131-120000-resnet",
          .run_id = "20260131-120000-resnet",
          .name = "resnet",
          .started_utc = "2026-01-31T12:00:00Z",
          .labels = {{"branch", Value{std::string("main")}}, {"pr", Value{std::int64_t{7}}}}};
}

TEST(RunFilter, NameFolderAndLabels_MustAllMatch) {
  for (const RunFilter& takes : std::vector<RunFilter>{{},
                                                       {.name = "resnet"},
                                                       {.name = "res*"},
                                                       {.name = "20260131-*"},
                                                       {.labels = {"branch=main", "pr=7"}},
                                                       {.labels = {"pr"}}}) {
    EXPECT_TRUE(passes(run_of_today(), takes)) << takes.name;
  }
  for (const RunFilter& leaves_out : std::vector<RunFilter>{{.name = "net"},
                                                            {.name = "mobile*"},
                                                            {.labels = {"branch=main", "pr=8"}},
                                                            {.labels = {"keep"}},
                                                            {.labels = {"branch="}}}) {
    EXPECT_FALSE(passes(run_of_today(), leaves_out)) << leaves_out.name;
  }
}

TEST(RunFilter, EarlierOrUndated_IsExcluded) {
  EXPECT_TRUE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31")}));
  EXPECT_TRUE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31 12:00")}));
  EXPECT_FALSE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31 12:01")}));
  EXPECT_FALSE(passes({.folder = "results/x", .broken = "damaged"}, {.since = Moment{}}));
  const Moment now = text::parse_utc("2026-02-10").value();
  EXPECT_EQ(parse_since("--since", "2026-01-31", now), text::parse_utc("2026-01-31"));
  EXPECT_EQ(parse_since("--since", "10d", now), text::parse_utc("2026-01-31"));
  EXPECT_THAT([&] { (void)parse_since("--since", "yesterday", now); },
              ThrowsMessage<ConfigError>(HasSubstr("--since: expected a day such as 2026-01-31")));
}

}  // namespace
}  // namespace stepbench::campaign
