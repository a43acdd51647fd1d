// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"
#include "harness/report/analysis_diff.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {
namespace {

void add_diff_row(json::JsonText& json, const analyze::DiffRow& row, bool has_calls,
                  std::string_view key = {}) {
  json.open_object(key).text("name", row.name);
  if (!row.phase.empty()) json.text("phase", row.phase);
  json.text("change", analyze::name_of(row.change)).number("base_ns", row.base_ns);
  json.number("new_ns", row.new_ns).number("difference_ns", row.difference_ns());
  if (row.noise_ns) {
    json.number("noise_ns", *row.noise_ns);
  } else {
    json.null("noise_ns");
  }
  if (has_calls) {
    json.number("base_calls", row.base_count).number("new_calls", row.new_count);
  }
  json.close_object();
}

void add_diff_side(json::JsonText& json, std::string_view key,
                   const std::vector<std::string>& paths, std::int64_t steps) {
  json.open_object(key).texts("paths", paths).integer("steps", steps).close_object();
}

void add_size(json::JsonText& json, const std::string& key, const std::optional<double>& size) {
  if (size) {
    json.number(key, *size);
  } else {
    json.null(key);
  }
}

}  // namespace

std::string diff_json(const analyze::TraceDiff& diff, int exit_status) {
  json::JsonText json;
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  json.open_object("diff");
  add_diff_side(json, "base", diff.base_paths, diff.base_steps);
  add_diff_side(json, "new", diff.new_paths, diff.new_steps);
  json.text("window", analyze::name_of(diff.window)).flag("comparable", diff.comparable());
  json.flag("nothing_changed", diff.nothing_changed()).open_array("notes");
  for (const analyze::DiffNote& note : diff.notes) {
    json.open_object()
        .text("level", analyze::name_of(note.level))
        .text("text", note.text)
        .close_object();
  }
  json.close_array();
  add_diff_row(json, diff.step, false, "step");
  json.open_array("parts");
  for (const analyze::DiffRow& row : diff.parts) add_diff_row(json, row, false);
  json.close_array();
  for (const analyze::DiffTable& table : diff.tables) {
    json.open_array(std::string(analyze::name_of(table.kind)) + 's');
    for (const analyze::DiffRow& row : table.rows) add_diff_row(json, row, true);
    json.close_array();
  }
  json.open_array("findings");
  for (const analyze::DiffFinding& finding : diff.findings) {
    json.open_object().text("id", finding.id).text("change", analyze::name_of(finding.change));
    json.text("severity", stepbench::name_of(finding.severity)).text("text", finding.text);
    const std::string unit = finding.is_gain ? "gain_ns" : "value";
    add_size(json, "base_" + unit, finding.base);
    add_size(json, "new_" + unit, finding.next);
    json.close_object();
  }
  json.close_array().close_object().integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
