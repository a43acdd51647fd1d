// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/estimate/ranking.h"
#include "harness/report/answer.h"
#include "harness/report/export.h"
#include "harness/report/html/report.h"
#include "harness/report/html/runs_beside.h"

namespace stepbench::report {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kSource = STEPBENCH_SOURCE_DIR;

record::Results sweep() {
  return record::read_results(kSource / "tests/unit/report/data/sweep.jsonl");
}

// The element of the page that holds its data, as JSON.
nlohmann::json data_of(const std::string& html) {
  const std::string begin = "id=\"stepbench-data\">";
  const std::size_t at = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
}

std::vector<std::string> ids_of(const ReportContent& content) {
  std::vector<std::string> ids;
  for (const document::Chapter& section : content.sections) ids.push_back(section.id);
  return ids;
}

TEST(RunReport, SaysTheAnswerAndItsDoubtsThenTheTable) {
  const record::Results results = sweep();
  const ReportContent content = run_content(results, {"RUN"}, {});
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  EXPECT_EQ(content.answer.text, answer_line(rows, results));
  EXPECT_EQ(content.answer.doubts.front(), "7 of 42 launches failed");
  const std::string html = report_of(content, {}).html;
  const std::size_t answer = html.find("<section id=\"answer\"");
  EXPECT_LT(answer, html.find("doubts: 7 of 42 launches failed"));
  EXPECT_LT(answer, html.find("<section id=\"overview\""));
  const std::vector<document::Block>& blocks = content.sections.front().blocks;
  const auto table = std::ranges::find_if(blocks, [](const document::Block& block) {
    return std::holds_alternative<document::Table>(block);
  });
  ASSERT_NE(table, blocks.end());
  EXPECT_EQ(std::get<document::Table>(*table).rows.size(), rows.size());
  EXPECT_EQ(content.summary, "8 cases, 35 launches, 280 steps");
}

TEST(RunReport, FoldsWhatTheAnswerRestsOn) {
  std::vector<std::string> folded;
  for (const document::Chapter& chapter : run_content(sweep(), {"RUN"}, {}).sections) {
    if (chapter.folded) folded.push_back(chapter.id);
  }
  EXPECT_EQ(folded,
            (std::vector<std::string>{"distributions", "launches", "numbers", "environment"}));
}

TEST(RunReport, HoldsWhatShowWritesAsJson) {
  const record::Results results = sweep();
  const nlohmann::json data =
      data_of(report_of(run_content(results, {"RUN"}, {}), {.sources = {"RUN"}}).html);
  EXPECT_EQ(data["schema"], "stepbench.report");
  EXPECT_EQ(data["version"], "1.1.0");
  EXPECT_EQ(data["generated_from"]["kind"], "run");
  EXPECT_EQ(data["generated_from"]["files"], nlohmann::json({"RUN"}));
  EXPECT_EQ(data["sections"].front()["id"], "overview");
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  estimate::compare_with_best(rows);
  EXPECT_EQ(data["content"],
            nlohmann::json::parse(json_of(rows, results, {}, estimate::Proposals(rows, results))));
}

TEST(RunReport, KeepsTheSectionsThatAreAskedForAndNamesTheNearest) {
  const record::Results results = sweep();
  ReportContent content = run_content(results, {"RUN"}, {});
  EXPECT_THAT(ids_of(content), ::testing::IsSupersetOf({"overview", "numbers", "environment"}));
  const std::string html = report_of(content, {.sections = {"numbers"}}).html;
  EXPECT_THAT(html, HasSubstr("<section id=\"numbers\""));
  EXPECT_EQ(html.find("<section id=\"overview\""), std::string::npos);
  try {
    (void)report_of(content, {.sections = {"overviw"}});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'overview'?"));
  }
}

TEST(RunReport, OfTwoRunsHasAColumnForEach) {
  record::Results results = sweep();
  const std::size_t launches = results.launches.size();
  results.runs.push_back(results.runs.front());
  results.runs.back().run_id = "later";
  for (std::size_t i = 0; i < launches; ++i) {
    results.launches.push_back(results.launches[i]);
    results.launches.back().run = 1;
  }
  const TableFacts facts = table_facts(results, {});
  const std::optional<document::Table> table = runs_beside(facts);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->columns.size(), 3U);
  EXPECT_EQ(table->columns[2].head, facts.names.run({.case_id = {}, .run_id = "later"}));
  EXPECT_EQ(table->rows.size(), facts.rows.size() / 2);
  for (const document::TableRow& row : table->rows) {
    EXPECT_EQ(row.cells[1].text, row.cells[2].text);
  }
  const record::Results one = sweep();
  EXPECT_FALSE(runs_beside(table_facts(one, {})));
}

TEST(RunReport, OfARunWithoutLaunchesSaysSo) {
  record::Results results = sweep();
  results.launches.clear();
  const ReportContent content = run_content(results, {"RUN"}, {});
  EXPECT_FALSE(content.measured);
  EXPECT_EQ(std::get<document::Paragraph>(content.sections.front().blocks.at(1)).text,
            "No launches in these results.");
}

TEST(RunReport, OfFailuresAloneSaysThatNothingWasMeasured) {
  record::Results results = sweep();
  std::erase_if(results.launches, [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  });
  const ReportContent content = run_content(results, {"RUN"}, {});
  EXPECT_FALSE(content.measured);
  EXPECT_THAT(report_of(content, {}).html, HasSubstr("<strong>nothing was measured"));
}

}  // namespace
}  // namespace stepbench::report
