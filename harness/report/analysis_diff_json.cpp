// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"
#include "harness/report/analysis_diff.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {
namespace {

struct DiffRowFields {
  bool calls = false;
  std::string_view rate = {};  // "flops_per_s"
};

void add_rate(json::JsonText& json, std::string_view side, std::string_view name,
              std::optional<double> per_ns) {
  json.number(std::string(side) + std::string(name),
              per_ns ? std::optional(*per_ns * 1e9) : per_ns);
}

void add_diff_row(json::JsonText& json, const analyze::DiffRow& row, DiffRowFields fields = {},
                  std::string_view key = {}) {
  json.open_object(key).text("name", row.name);
  if (!row.phase.empty()) json.text("phase", row.phase);
  json.text("change", name_of(row.change)).number("base_ns", row.base_ns);
  json.number("new_ns", row.new_ns).number("difference_ns", row.difference_ns());
  json.number("noise_ns", row.noise_ns);
  if (fields.calls) {
    json.number("base_calls", row.base_count).number("new_calls", row.new_count);
  }
  if (!fields.rate.empty()) {
    add_rate(json, "base_", fields.rate, row.base_rate);
    add_rate(json, "new_", fields.rate, row.new_rate);
  }
  json.close_object();
}

void add_diff_side(json::JsonText& json, std::string_view key,
                   const std::vector<std::string>& paths, std::int64_t steps) {
  json.open_object(key).texts("paths", paths).integer("steps", steps).close_object();
}

DiffRowFields fields_of(analyze::CostKind kind) {
  if (kind == analyze::CostKind::kShape) return {.calls = true, .rate = "flops_per_s"};
  if (kind == analyze::CostKind::kCollective) return {.calls = true, .rate = "bus_bytes_per_s"};
  return {.calls = true};
}

}  // namespace

std::string diff_json(const analyze::TraceDiff& diff, int exit_status) {
  json::JsonText json;
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  json.open_object("diff");
  add_diff_side(json, "base", diff.base_paths, diff.base_steps);
  add_diff_side(json, "new", diff.new_paths, diff.new_steps);
  json.text("window", name_of(diff.window)).flag("comparable", diff.comparable());
  json.flag("nothing_changed", diff.nothing_changed()).open_array("notes");
  for (const analyze::DiffNote& note : diff.notes) {
    json.open_object().text("level", name_of(note.level)).text("text", note.text).close_object();
  }
  json.close_array();
  add_diff_row(json, diff.step, {}, "step");
  json.open_array("parts");
  for (const analyze::DiffRow& row : diff.parts) add_diff_row(json, row);
  json.close_array();
  for (const analyze::DiffTable& table : diff.tables) {
    json.open_array(std::string(name_of(table.kind)) + 's');
    for (const analyze::DiffRow& row : table.rows) add_diff_row(json, row, fields_of(table.kind));
    json.close_array();
  }
  json.open_array("findings");
  for (const analyze::DiffFinding& finding : diff.findings) {
    json.open_object().text("id", finding.id).text("change", name_of(finding.change));
    json.text("severity", name_of(finding.severity)).text("text", finding.text);
    const std::string unit = finding.is_gain ? "gain_ns" : "value";
    json.number("base_" + unit, finding.base);
    json.number("new_" + unit, finding.next);
    json.close_object();
  }
  json.close_array().close_object().integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
