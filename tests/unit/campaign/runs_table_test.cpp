// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <nlohmann/json.hpp>

#include "harness/text/time_text.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

const Moment kNow = text::parse_utc("2026-02-10 12:00").value();

RunSummary complete_run() {
  return {.folder = "results/20260131-120000-demo",
          .run_id = "20260131-120000-demo",
          .name = "demo",
          .started_utc = "2026-01-31T12:00:00Z",
          .git_sha = "0123456789abcdef",
          .git_branch = "main",
          .cases = 3,
          .ok = 3,
          .launches = 18,
          .state = RunState::kComplete,
          .bytes = 2048};
}

std::string table(const std::vector<RunSummary>& runs, std::size_t all, int columns = 140) {
  return report::render_runs(runs, all, report::Format::kTable, {.columns = columns}, kNow);
}

TEST(RunsTable, OptionalColumns_AppearIfUsed) {
  EXPECT_THAT(table({complete_run()}, 1), Not(HasSubstr("failed")));
  RunSummary other = complete_run();
  other.folder = "results/renamed";
  other.failed = 1;
  other.skipped = 2;
  other.git_dirty = true;
  other.labels = {{"pr", Value{std::int64_t{7}}}, {"keep", Value{std::string("paper")}}};
  const std::string text = table({other, complete_run()}, 40);
  for (const char* part :
       {"name", "failed", "skipped", "labels", "keep=paper pr=7", "0123456*",
        "2 of 40 runs, 4.00 KiB", "* after a commit: with uncommitted changes"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(RunsTable, KindAndError_AreShown) {
  EXPECT_EQ(report::kind_words({}), "run");
  EXPECT_EQ(report::kind_words({.smoke = true}), "smoke run");
  EXPECT_EQ(report::kind_words({.kind = "ab"}), "ab");
  EXPECT_EQ(report::kind_words({.kind = "ab", .verdict = "regression"}), "ab: regression");
  EXPECT_EQ(report::kind_words({.profiled = 2}), "run + profile");
  RunSummary killed = complete_run();
  killed.state = RunState::kUnfinished;
  const std::string text =
      table({{.folder = "results/20260201-000000-x", .broken = "x.jsonl: damaged"}, killed}, 2);
  EXPECT_THAT(text, HasSubstr("20260201-000000-x     x.jsonl: damaged\n"));
  EXPECT_THAT(text, HasSubstr("2 runs, 2.00 KiB; 1 unfinished, 1 unreadable\n"));
}

TEST(RunsTable, ForeignText_CannotForgeARow) {
  RunSummary run = complete_run();
  run.labels = {{"x", Value{std::string("a\nb\x1b[31m")}}};
  EXPECT_THAT(table({run}, 1), HasSubstr("x=a\\nb\\x1b[31m"));
  run.labels = {{"x", Value{std::string("=1+1|<b>")}}};
  EXPECT_THAT(report::render_runs({&run, 1}, 1, report::Format::kMarkdown, {}, kNow),
              Not(HasSubstr("<b>")));
}

TEST(RunsTable, JsonAndCsv_UseNoClock) {
  RunSummary run = complete_run();
  run.labels = {{"pr", Value{std::int64_t{7}}}};
  const std::string json = report::render_runs({&run, 1}, 1, report::Format::kJson, {}, kNow);
  EXPECT_EQ(json, report::render_runs({&run, 1}, 1, report::Format::kJson, {}, Moment{}));
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed.at("schema"), "stepbench.runs");
  const auto& one = parsed.at("runs").at(0);
  EXPECT_EQ(one.at("run_id"), "20260131-120000-demo");
  EXPECT_EQ(one.at("labels").at("pr"), 7);
  EXPECT_EQ(one.at("bytes"), 2048);
  EXPECT_EQ(one.at("state"), "complete");
  const std::string csv = report::render_runs({&run, 1}, 1, report::Format::kCsv, {}, kNow);
  EXPECT_THAT(csv, HasSubstr("run_id,folder,started_utc"));
  EXPECT_THAT(csv, HasSubstr(",pr=7\n"));
  EXPECT_EQ(report::render_runs({}, 3, report::Format::kJson, {}, kNow),
            "{\"schema\":\"stepbench.runs\",\"version\":\"1.0.0\",\"runs\":[]}\n");
}

}  // namespace
}  // namespace stepbench::campaign
