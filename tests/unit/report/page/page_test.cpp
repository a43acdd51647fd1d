// SPDX-License-Identifier: Apache-2.0
#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/estimate/ranking.h"
#include "harness/record/input.h"
#include "harness/report/exports.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/base64.h"
#include "harness/report/pages.h"
#include "harness/report/result_tables.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

struct Page {
  ReportContent content = {};
  std::string data = R"({"a":"</script>"})";
  ReportOptions options = {};

  [[nodiscard]] std::string html() const { return html_page(content, data, options); }
};

Page page_of(std::vector<document::Block> blocks) {
  Page page;
  page.content.title = "A <title>";
  page.content.sections = {{.id = "sweep", .title = "Sweep & more", .blocks = std::move(blocks)}};
  return page;
}

document::Figure figure(const std::string& title) {
  return {.title = title, .alt = "what it shows", .json = R"({"data":[],"layout":{}})"};
}

document::Table numbers(std::size_t rows) {
  document::Table table{.title = "Numbers", .columns = {{.head = "step"}}, .rows = {}};
  for (std::size_t i = 0; i < rows; ++i) {
    table.rows.push_back({.cells = {{std::to_string(i), static_cast<double>(i)}}});
  }
  return table;
}

std::string source_of(std::string_view script) {
  return "'sha256-" + base64(sha256(script)) + '\'';
}

TEST(Page, OnlyOwnScripts_MayRun) {
  Page page = page_of({figure("f")});
  page.options.plotly = {.script = "window.Plotly={}", .version = "4.1.1"};
  const std::string html = page.html();
  const std::string own = std::string(chart_script()) + std::string(page_script());
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src " + source_of(own) + ' ' +
                              source_of("window.Plotly={}") + ';'));
  EXPECT_THAT(html, HasSubstr("<script>window.Plotly={}</script>"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-eval")));
}

TEST(Page, ForeignText_StaysText) {
  const std::string html = page_of({document::Paragraph{"<img src=x onerror=alert(1)>"},
                                    document::Verbatim{"a<b", "</pre><script>alert(1)</script>"}})
                               .html();
  EXPECT_THAT(html, HasSubstr("<h1>A &lt;title&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("Sweep &amp; more"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(html, HasSubstr(R"({"a":"\u003c/script>"})"));
}

TEST(Page, Figure_HasTextAndItsNumbers) {
  document::Figure with_note = figure("steps");
  with_note.note = "900 of 1,000 steps are left out";
  Page page = page_of({with_note, numbers(2)});
  page.options.plotly = {.script = "x", .version = "4.1.1"};
  EXPECT_THAT(page.html(),
              AllOf(HasSubstr("<p class=\"alt\" id=\"figure-1-alt\">what it shows</p>"),
                    HasSubstr("900 of 1,000 steps are left out"),
                    HasSubstr("<a href=\"#table-1\">"), HasSubstr("<td data-v=\"1\">1</td>")));
  page.options.plotly = {};
  EXPECT_THAT(page.html(),
              AllOf(HasSubstr("what it shows"), Not(HasSubstr("data-figure=")),
                    Not(HasSubstr(R"("layout":{})")), HasSubstr("Made without charts")));
}

TEST(Page, LongTable_IsCutWithANote) {
  const std::string html = page_of({numbers(document::kPageRows + 5)}).html();
  EXPECT_THAT(html, HasSubstr("The first 2,000 of 2,005 rows"));
  EXPECT_THAT(html, HasSubstr(">1999</td>"));
  EXPECT_THAT(html, Not(HasSubstr(">2000</td>")));
}

TEST(Page, Compact_PacksLongParts) {
  Page page = page_of({figure("f")});
  page.data = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
  page.options.plotly = {.script = std::string(100'000, ' '), .version = "4.1.1"};
  const std::string plain = page.html();
  page.options.compact = true;
  const std::string compact = page.html();
  EXPECT_GT(plain.size(), compact.size() + 190'000);
  EXPECT_THAT(compact, HasSubstr("id=\"plotly-packed\" data-encoding=\"gzip+base64\""));
  EXPECT_THAT(compact, HasSubstr("id=\"stepbench-data\" data-encoding=\"gzip+base64\""));
  EXPECT_THAT(compact, HasSubstr(source_of(page.options.plotly.script)));
}

// As long as the real one, with the same end.
std::string made_plotly(const std::string& version) {
  return "/**\n* plotly.js v" + version + "\n*/\n" + std::string(3'500'000, ' ') +
         "var a = '</SCRIPT>';\nreturn Plotly;\n}));";
}

std::string error_of(const std::string& given, const fs::path& program_dir) {
  return test::error_of<ConfigError>([&] { (void)read_plotly(given, program_dir); });
}

TEST(Plotly, ProgramOrShareFolder_HasIt) {
  const test::TemporaryFolder folder;
  const fs::path bin = folder / "bin";
  const fs::path share = folder / "share" / "stepbench";
  fs::create_directories(bin);
  fs::create_directories(share);
  EXPECT_THAT(error_of("", bin), AllOf(HasSubstr((bin / kPlotlyFile).string()),
                                       HasSubstr((share / kPlotlyFile).string()),
                                       HasSubstr("tools/setup"), HasSubstr("--plotly none")));
  std::ofstream(share / "plotly.min.js.gz") << record::gzip_text(made_plotly("4.1.0"));
  EXPECT_EQ(read_plotly("", bin).version, "4.1.0");
  std::ofstream(share / kPlotlyFile) << made_plotly("4.1.1");
  EXPECT_EQ(read_plotly("", bin).version, "4.1.1");
  std::ofstream(bin / kPlotlyFile) << made_plotly("4.2.0");
  EXPECT_EQ(read_plotly("", bin).version, "4.2.0");
}

TEST(Plotly, Script_EndsNoElement) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "p.js") << made_plotly("4.1.1");
  const std::string script = read_plotly((folder / "p.js").string(), {}).script;
  EXPECT_EQ(script.find("</SCRIPT"), std::string::npos);
  EXPECT_NE(script.find("'<\\/SCRIPT>'"), std::string::npos);
}

TEST(Plotly, CutOrOtherVersion_IsRejected) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "p.js", std::ios::trunc) << text;
    return error_of((folder / "p.js").string(), {});
  };
  EXPECT_THAT(write(made_plotly("4.1.1").substr(0, 3'400'000)), HasSubstr("is cut short"));
  EXPECT_THAT(write("/*\n* plotly.js v4.1.1\n*/\nreturn Plotly;\n}));"), HasSubstr("is cut short"));
  EXPECT_THAT(write(made_plotly("2.35.0")), HasSubstr("is plotly.js 2.35.0"));
  EXPECT_THAT(write("alert(1)"), HasSubstr("is not the script of plotly.js"));
  EXPECT_THAT(error_of((folder / "nothing").string(), {}), HasSubstr("does not exist"));
  EXPECT_THAT(error_of(folder.path().string(), {}), HasSubstr("is not a file"));
}

const fs::path kSource = STEPBENCH_SOURCE_DIR;

record::Results sweep() {
  return record::read_results(kSource / "tests/unit/report/data/sweep.jsonl");
}

TEST(RunReport, Sweep_HasAnswerAndDoubts) {
  const record::Results results = sweep();
  const ReportContent content = run_content(results, {"RUN"}, {});
  EXPECT_EQ(content.answer.text, answer_line(estimate::case_rows(results), results));
  EXPECT_EQ(content.answer.doubts.front(), "7 of 42 launches failed");
  EXPECT_EQ(content.summary, "7 cases, 35 launches, 280 steps");
}

TEST(RunReport, Sections_AreSelectable) {
  const ReportContent content = run_content(sweep(), {"RUN"}, {});
  EXPECT_THAT(
      report_of(content, {.sections = {"numbers"}}).html,
      AllOf(HasSubstr("<section id=\"numbers\""), Not(HasSubstr("<section id=\"overview\""))));
  EXPECT_THAT([&] { (void)report_of(content, {.sections = {"overviw"}}); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'overview'?")));
}

TEST(RunReport, TwoRuns_HaveAColumnEach) {
  record::Results results = sweep();
  const std::size_t launches = results.launches.size();
  results.runs.push_back(results.runs.front());
  results.runs.back().run_id = "later";
  for (std::size_t i = 0; i < launches; ++i) {
    results.launches.push_back(results.launches[i]);
    results.launches.back().run = 1;
  }
  const auto beside = [](const record::Results& of) {
    std::optional<document::Table> found;
    const std::vector<document::Chapter> sections = run_content(of, {"RUN"}, {}).sections;
    const auto overview = std::ranges::find(sections, "overview", &document::Chapter::id);
    for (const document::Block& block : overview->blocks) {
      const auto* table = std::get_if<document::Table>(&block);
      if (table != nullptr && table->title.starts_with("Runs beside")) found = *table;
    }
    return found;
  };
  const TableFacts facts = table_facts(results, {});
  const auto table = beside(results);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->columns.size(), 3U);
  EXPECT_EQ(table->columns[2].head, facts.names.run({.case_id = {}, .run_id = "later"}));
  EXPECT_EQ(table->rows.size(), facts.rows.size() / 2);
  for (const document::TableRow& row : table->rows) {
    EXPECT_EQ(row.cells[1].text, row.cells[2].text);
  }
  EXPECT_FALSE(beside(sweep()));
}

TEST(RunReport, FailuresAlone_MeasureNothing) {
  record::Results results = sweep();
  std::erase_if(results.launches, [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  });
  const ReportContent failures = run_content(results, {"RUN"}, {});
  EXPECT_FALSE(failures.measured);
  EXPECT_THAT(report_of(failures, {}).html, HasSubstr("<strong>nothing was measured"));
  results.launches.clear();
  EXPECT_FALSE(run_content(results, {"RUN"}, {}).measured);
}

}  // namespace
}  // namespace stepbench::report
