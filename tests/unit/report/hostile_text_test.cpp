// SPDX-License-Identifier: Apache-2.0
// Text that moves a cursor, forges a row or is invalid UTF-8, in every text field of a result,
// through every output.
#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/findings/finding.h"
#include "harness/report/exports.h"
#include "harness/report/result_tables.h"
#include "harness/report/verdicts.h"
#include "harness/text/printable.h"
#include "harness/verdict/comparison.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

const fs::path kHostileData = fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/report/data";

// Every control character, characters that reverse or hide text, markup of each format, and invalid
// UTF-8.
std::string hostile_text() {
  std::string text = "=x|<script>&`\\\"',\n```\n</details>\n";
  for (char c = 1; c < 0x20; ++c) text += c;
  text += '\0';
  text += "\x7F\xC2\x80\xC2\x9B\u202A\u202E\u2066\u2069\u200B\u2028\u2029\uFEFF\xFF\xC0\x80\x9B";
  return text + "\n| forged | row |\nverdict: ok\n";
}

class Spoiler {
 public:
  void spoil(record::Results& results) {
    for (record::RunRow& run : results.runs) {
      add(run.run_id, run.name, run.stepbench_version, run.started_utc, run.config_path,
          run.config_text, run.config_hash, run.plan_digest);
      spoil_each(run.argv);
      spoil(run.context);
      spoil_each(run.swept);
    }
    for (Metric& metric : results.columns) add(metric.unit, metric.doc);
    for (record::WorkerRow& worker : results.workers) {
      add(worker.worker_id, worker.path, worker.build_id);
      spoil(worker.environment);
    }
    for (record::Launch& launch : results.launches) spoil(launch);
    for (record::StartRow& start : results.unfinished) {
      add(start.key.case_id, start.key.arm, start.started_utc);
      spoil(start.options);
    }
    if (results.end) add(results.end->reason, results.end->ended_utc);
    results.warnings.push_back(text_);
  }

 private:
  void add(std::string& to) const { to += text_; }
  template <typename... Texts>
  void add(std::string& first, Texts&... others) const {
    add(first);
    (add(others), ...);
  }
  void spoil_each(std::vector<std::string>& texts) const {
    for (std::string& text : texts) add(text);
  }

  template <typename Values>
  void spoil(Values& values) const {
    Values spoilt;
    for (const auto& [name, value] : values) {
      const auto* text = std::get_if<std::string>(&value);
      spoilt[name + text_] = text == nullptr ? value : Value(*text + text_);
    }
    spoilt[text_] = text_;
    values = spoilt;
  }

  void spoil(record::Launch& launch) const {
    record::LaunchRow& row = launch.row;
    add(row.key.case_id, row.key.arm, row.point_id, row.workload, row.worker_id, row.stage,
        row.started_utc, row.output, row.repeat_command);
    if (row.outcome.kind != Outcome::Kind::kMeasured) add(row.outcome.reason);
    spoil(row.options);
    spoil(row.machine);
    record::LaunchReport& report = row.report;
    spoil(report.effective);
    spoil(report.fingerprint);
    report.schedule[text_] = text_;
    report.metrics[text_] = 1.5;
    report.flags.push_back(text_);
    report.notes.push_back(text_);
    report.findings.push_back({.id = text_,
                               .severity = Severity::kProblem,
                               .text = text_,
                               .unit = text_,
                               .evidence = {text_},
                               .remedy = text_,
                               .set = {{text_, text_}}});
    for (record::CycleSamples& part : launch.samples) {
      part.steps.add("phase" + text_ + "_ns", part.steps.steps());
    }
    // The first name of a frame is a kind of row that the reader must know.
    for (ops::OpFrame& frame : launch.ops) {
      for (std::string& text : frame.strings) {
        if (!kKinds.contains(text)) add(text);
      }
    }
  }

  inline static const std::set<std::string> kKinds = {"annotation", "op", "call", "device"};
  std::string text_ = hostile_text();
};

record::Results spoilt(const std::string& file) {
  record::Results results = record::read_results(kHostileData / file);
  Spoiler().spoil(results);
  return results;
}

// Line ends are the program's own.
void expect_harmless(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what.ends_with("JSON") ? "\\u001b" : "\\x1b"), std::string::npos) << what;
  EXPECT_EQ(text, text::to_valid_utf8(text)) << what;
  EXPECT_EQ(text, text::printable(text, text::LineEnds::kKeep)) << what;
}

std::vector<std::string> lines_of_output(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Pipes without a backslash.
std::size_t cells(const std::string& row) {
  std::size_t pipes = 0;
  bool escaped = false;
  for (const char c : row) {
    if (c == '|' && !escaped) ++pipes;
    escaped = c == '\\' && !escaped;
  }
  return pipes;
}

void expect_whole_tables(const std::string& markdown, const std::string& what) {
  std::size_t width = 0;
  std::string fence;  // between fences there is no markup
  for (const std::string& line : lines_of_output(markdown)) {
    if (line.starts_with("```") && fence.empty()) {
      fence = line.substr(0, line.find_first_not_of('`'));
      continue;
    }
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      continue;
    }
    const bool row = line.starts_with("|");
    if (row && width > 0) {
      EXPECT_EQ(cells(line), width) << what << ": " << line;
    }
    width = row ? cells(line) : 0;
    EXPECT_EQ(line.find("<script"), std::string::npos) << what;
    EXPECT_FALSE(line.starts_with("verdict: ok")) << what;
  }
  EXPECT_EQ(fence, "") << what;
}

TEST(HostileText, TablesPagesAndExports_AreSafe) {
  for (const std::string file : {"sweep.jsonl", "few_launches.jsonl", "smoke.jsonl"}) {
    const record::Results results = spoilt(file);
    for (const int columns : {40, 100, 400}) {
      expect_harmless(render_table(results, {.columns = columns}), file + " as a table");
    }
    const std::string markdown = render(results, Format::kMarkdown, {});
    expect_harmless(markdown, file + " as Markdown");
    expect_whole_tables(markdown, file);
    expect_harmless(render(results, Format::kCsv, {}), file + " as CSV");
    expect_harmless(render(results, Format::kJson, {}), file + " as JSON");
    for (const ExportFormat& format : export_formats()) {
      const bool json = format.ending == ".json";
      const std::string text =
          json::whole_text([&](const json::TextSink& sink) { format.of_run(results, {}, sink); });
      expect_harmless(text, file + " as " + std::string(format.name) + (json ? " JSON" : ""));
    }
    for (const estimate::CaseRow& row : estimate::case_rows(results)) {
      expect_harmless(document::render(case_document(row, results, {}), {}), file + " as a page");
    }
    const SampleTable samples = sample_table(estimate::case_rows(results), {});
    expect_harmless(samples_csv(samples), file + " as steps in CSV");
    expect_harmless(samples_json(samples, results.columns), file + " as steps in JSON");
  }
}

TEST(HostileText, EachCsvRow_HasTheSameCells) {
  const std::string csv = render(spoilt("sweep.jsonl"), Format::kCsv, {});
  std::set<std::size_t> commas;
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++count;
    if (c == '\n') {
      commas.insert(count);
      count = 0;
    }
  }
  EXPECT_EQ(commas.size(), 1U);
}

TEST(HostileText, OpTables_AreSafe) {
  const record::Results results = spoilt("profiled.jsonl");
  const OpsView view{.group_by = {"shape", "phase", "module"}};
  for (const Format format : {Format::kTable, Format::kMarkdown, Format::kCsv, Format::kJson}) {
    const std::string text = render_ops(results, view, format, {});
    expect_harmless(text, format == Format::kJson ? "ops in JSON" : "ops");
    if (format == Format::kMarkdown) expect_whole_tables(text, "ops");
  }
}

TEST(HostileText, Comparisons_AreSafe) {
  record::Results base = spoilt("sweep.jsonl");
  for (record::Launch& launch : base.launches) launch.row.key.arm.clear();  // arms are for `ab`
  record::Results candidate = base;
  for (record::WorkerRow& worker : candidate.workers)
    worker.environment["kernel"] = "new" + hostile_text();
  const verdict::Comparison comparison =
      verdict::compare({&base, "a" + hostile_text()}, {&candidate, "b" + hostile_text()}, {});
  expect_harmless(document::render(comparison_document({&comparison, 1}, true), {}), "comparison");
  const std::string markdown =
      document::render(comparison_document({&comparison, 1}, true), {.markdown = true});
  expect_harmless(markdown, "comparison in Markdown");
  expect_whole_tables(markdown, "comparison");
  expect_harmless(comparison_json(comparison), "comparison in JSON");
  for (const char* name : {"junit", "openmetrics", "csv"}) {
    expect_harmless(export_format(name)->of_verdict({&comparison, 1}, {}), name);
  }
}

}  // namespace
}  // namespace stepbench::report
