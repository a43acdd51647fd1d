// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/document/render.h"
#include "harness/os/text_file.h"
#include "harness/report/history.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/csv.h"
#include "harness/report/night.h"
#include "harness/report/result_tables.h"
#include "harness/report/verdicts.h"

namespace stepbench::report {
namespace {

// Value of the first member "schema"; empty if it is not among the first bytes.
std::string_view schema_in(std::string_view text) {
  constexpr std::string_view kKey = "\"schema\"";
  std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return {};
  at = text.find('"', at + kKey.size());
  if (at == std::string_view::npos) return {};
  const std::size_t end = text.find('"', at + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(at + 1, end - at - 1);
}

using Options = const ExportOptions&;
using Comparisons = std::span<const verdict::Comparison>;

template <Format kFormat>
void write_as(const record::Results& results, Options, const json::TextSink& sink) {
  write_results(results, kFormat, {}, sink);
}

constexpr ExportFormat kFormats[] = {
    {.name = "junit",
     .ending = ".xml",
     .use = "test reports of GitLab, Jenkins, GitHub and others",
     .of_run = [](const record::Results& results, Options,
                  const json::TextSink& sink) { sink(junit_xml(checks_of(results))); },
     .of_verdict = [](Comparisons all, Options) { return junit_xml(checks_of(all)); },
     .of_night = [](const std::string& night,
                    Options) { return junit_xml(checks_of_night(night)); }},
    {.name = "openmetrics",
     .ending = ".prom",
     .use = "Prometheus, also by the text files of node_exporter",
     .of_run =
         [](const record::Results& results, Options options, const json::TextSink& sink) {
           write_openmetrics(results, options.max_series, sink);
         },
     .of_verdict = [](Comparisons all,
                      Options options) { return openmetrics_page(all, options.max_series); },
     .of_night = [](const std::string& night, Options) { return openmetrics_of_night(night); },
     .of_history = [](const nights::History& history,
                      Options options) { return openmetrics_page(history, options.max_series); }},
    {.name = "markdown",
     .ending = ".md",
     .use = "a comment on a pull request, a wiki",
     .of_run = write_as<Format::kMarkdown>,
     .of_verdict =
         [](Comparisons all, Options) {
           return document::render_markdown(comparison_document(all, true));
         }},
    {.name = "csv",
     .ending = ".csv",
     .use = "a spreadsheet, pandas",
     .of_run = write_as<Format::kCsv>,
     .of_verdict = [](Comparisons all, Options) { return verdict_csv(all); },
     .of_history = [](const nights::History& history, Options) { return history_csv(history); }},
    {.name = "json",
     .ending = ".json",
     .use = "programs: all there is",
     .of_run = write_as<Format::kJson>,
     .of_verdict = [](Comparisons all, Options) { return verdict_json(all); },
     .of_night = [](const std::string& night, Options) { return night; },
     .of_history = [](const nights::History& history, Options) { return history_json(history); }},
    {.name = "gbench",
     .ending = ".json",
     .use = "compare.py of Google Benchmark, and what reads its JSON",
     .of_run = [](const record::Results& results, Options,
                  const json::TextSink& sink) { sink(gbench_json(results)); }},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const ExportFormat* export_format(std::string_view name) {
  for (const ExportFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ExportFormat* export_format_of_file(std::string_view file) {
  for (const ExportFormat& format : kFormats) {
    if (file.ends_with(format.ending)) return &format;
  }
  return nullptr;
}

ExportSource export_source(const std::string& path) {
  for (const char* scheme : {"sqlite:", "postgresql:", "postgres:"}) {
    if (path.starts_with(scheme)) return ExportSource::kHistory;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return ExportSource::kRun;
  const std::string begin = os::first_bytes(path, 4096);
  if (begin.starts_with("SQLite format 3")) return ExportSource::kHistory;
  const std::string_view schema = schema_in(begin);
  if (schema == kVerdictSchema || schema == kVerdictsSchema) return ExportSource::kVerdict;
  return schema == kNightSchema ? ExportSource::kNight : ExportSource::kRun;
}

namespace {

std::vector<CsvColumn<ComparedMetric>> verdict_columns() {
  using Line = const ComparedMetric&;
  return {{"base", [](Line line) { return line.comparison->base; }},
          {"candidate", [](Line line) { return line.comparison->candidate; }},
          {"case_id", [](Line line) { return line.of->case_id; }},
          {"workload", [](Line line) { return line.of->workload; }},
          {"metric", [](Line line) { return line.metric->name; }},
          {"unit", [](Line line) { return line.metric->unit; }},
          {"primary", [](Line line) { return line.metric->primary; }},
          {"base_median", [](Line line) { return line.test->base_median; }},
          {"margin", [](Line line) { return csv_number(line.metric->margin); }},
          {"candidate_median", [](Line line) { return line.test->candidate_median; }},
          {"change", [](Line line) { return csv_number(line.test->change); }},
          {"change_low", [](Line line) { return line.test->interval.low; }},
          {"change_high", [](Line line) { return line.test->interval.high; }},
          {"p", [](Line line) { return line.test->p; }},
          {"p_adjusted", [](Line line) { return line.test->p_adjusted; }},
          {"p_mann_whitney", [](Line line) { return line.test->p_mann_whitney; }},
          {"pairs", [](Line line) { return static_cast<std::int64_t>(line.test->pairs); }},
          {"verdict", [](Line line) { return std::string(name_of(line.test->verdict)); }},
          {"reason", [](Line line) { return std::string(name_of(line.test->reason)); }},
          {"slower", [](Line line) { return line.test->slower; }},
          {"mean_change", [](Line line) { return csv_number(line.test->mean_change); }},
          {"mean_low", [](Line line) { return line.test->mean_interval.low; }},
          {"mean_high", [](Line line) { return line.test->mean_interval.high; }},
          {"corrected_change", [](Line line) { return csv_number(line.test->corrected_change); }}};
}

}  // namespace

std::string verdict_csv(std::span<const verdict::Comparison> comparisons) {
  std::set<std::string> options;
  for (const verdict::Comparison& comparison : comparisons) {
    for (const verdict::CaseResult& one : comparison.cases) {
      for (const auto& [name, value] : one.options) options.insert(name);
    }
  }
  std::vector<CsvColumn<ComparedMetric>> columns = verdict_columns();
  for (const std::string& name : options) {
    columns.push_back({"option." + name, [&name](const ComparedMetric& line) {
                         const auto found = line.of->options.find(name);
                         return found == line.of->options.end() ? Value() : found->second;
                       }});
  }
  std::string text = csv_heads(columns);
  for (const ComparedMetric& each : compared_metrics(comparisons)) {
    text += csv_line(columns, each);
  }
  return text;
}

}  // namespace stepbench::report
