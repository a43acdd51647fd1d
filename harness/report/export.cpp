// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/findings/findings_json.h"
#include "harness/json/json_text.h"
#include "harness/record/encode.h"
#include "harness/report/answer.h"
#include "harness/report/findings.h"
#include "harness/report/notes.h"
#include "harness/report/row_values.h"
#include "harness/report/run_title.h"
#include "harness/report/sources_json.h"
#include "harness/stats/order.h"

namespace stepbench {
namespace {

// The options of a case. Most are those of the case before: their text is taken over.
class OptionsText {
 public:
  void add_to(JsonText& json, const Fields& options) {
    std::string text = "{";
    std::size_t place = 0;
    for (const auto& [name, value] : options) {
      if (place == before_.size()) before_.emplace_back();
      Member& member = before_[place++];
      if (member.value == nullptr || member.name != name || *member.value != value) {
        JsonText json_member;
        member = {name, &value, json_member.value(name, value).take()};
      }
      if (place > 1) text += ',';
      text += member.text;
    }
    json.json("options", text + '}');
  }

 private:
  struct Member {
    std::string_view name = {};
    const Value* value = nullptr;
    std::string text = {};
  };
  std::vector<Member> before_;  // by place; points into the rows
};

void add_metrics_of_one(JsonText& json, const LaunchReport& report) {
  bool open = false;
  for (const auto& [name, value] : report.metrics) {
    if (!value) continue;
    if (!std::exchange(open, true)) json.open_object("metrics");
    json.number(name, *value);
  }
  if (open) json.close_object();
}

// Medians over the launches.
void add_metrics(JsonText& json, const CaseRow& row) {
  if (row.measured.size() == 1) {
    return add_metrics_of_one(json, row.measured.front().launch->row.report);
  }
  std::map<std::string_view, std::vector<double>> values;
  for (const MeasuredLaunch& each : row.measured) {
    for (const auto& [name, value] : each.launch->row.report.metrics) {
      if (value) values[name].push_back(*value);
    }
  }
  if (values.empty()) return;
  json.open_object("metrics");
  for (const auto& [name, numbers] : values) json.number(name, median(numbers));
  json.close_object();
}

std::vector<std::string> selected(std::span<const CaseRow> rows,
                                  const std::vector<std::string>& select) {
  std::vector<std::string> names;
  for (const std::string& name : select) names.push_back(full_name(name, rows, "--columns"));
  return names;
}

void add_phases(JsonText& json, std::string_view name, const std::vector<PhaseEstimate>& phases) {
  if (phases.empty()) return;
  json.open_object(name);
  for (const PhaseEstimate& phase : phases) {
    json.open_object(phase.name).number("ns", phase.ns).number("share", phase.share).close_object();
  }
  json.close_object();
}

void add_phases(JsonText& json, std::string_view name, const std::vector<PhaseTime>& phases,
                const LaunchEstimate& of) {
  if (phases.empty()) return;
  json.open_object(name);
  for (const PhaseTime& phase : phases) {
    json.number(phase.name + "_ns", static_cast<double>(phase.ns) / static_cast<double>(of.steps));
  }
  json.close_object();
}

void add_launches(JsonText& json, const CaseRow& row) {
  json.open_array("launch_estimates");
  for (const auto& [launch, estimate] : row.measured) {
    const StepQuantiles& quantiles = estimate.quantiles;
    json.open_object().integer("launch", launch->row.key.launch);
    json.number("step_ns", step_ns(estimate, row.clock));
    json.integer("window_ns", window_ns(estimate, row.clock)).integer("steps", estimate.steps);
    if (estimate.latency) json.number("latency_p50_ns", estimate.latency->p50_ns);
    json.number("step_p50_ns", quantiles.p50_ns).number("step_p90_ns", quantiles.p90_ns);
    if (quantiles.p99_ns) json.number("step_p99_ns", *quantiles.p99_ns);
    json.number("step_iqr_ns", quantiles.iqr_ns);
    if (estimate.uneven) json.flag("uneven", true);
    add_phases(json, "phases", estimate.phases, estimate);
    add_phases(json, "device_phases", estimate.device_phases, estimate);
    add_phases(json, "side_phases", estimate.side_phases, estimate);
    if (estimate.device_span_ns) json.number("step_device_ns", *estimate.device_span_ns);
    if (estimate.host_lead_ns) json.number("host_lead_ns", *estimate.host_lead_ns);
    json.close_object();
  }
  json.close_array();
}

void add_case_findings(JsonText& json, const CaseRow& row, const Proposals& proposals) {
  json.open_array("findings");
  for (const CaseFinding& each : findings_of(row, proposals)) {
    json.open_object();
    add_members(json, each.finding);
    json.integer("launches", static_cast<std::int64_t>(each.launches));
    if (each.answer) {
      json.open_object("measured").text("case_id", each.answer->row->case_id);
      json.text("result", name_of(each.answer->kind));
      if (each.answer->kind != AnswerKind::kNoNumbers) {
        json.number("speed_ratio", each.answer->ratio);
      }
      json.text("text", each.answer_text).close_object();
    }
    if (!each.arguments.empty()) json.text("try", each.arguments);
    json.close_object();
  }
  json.close_array();
}

}  // namespace

std::string json_of(const std::vector<CaseRow>& rows, const Results& results,
                    const std::vector<std::string>& select, const Proposals& proposals) {
  JsonText json;
  OptionsText options;
  const std::vector<std::string> chosen = selected(rows, select);
  json.open_object().open_array("cases");
  for (const CaseRow& row : rows) {
    json.open_object();
    if (!chosen.empty()) {
      for (const std::string& name : chosen) json.value(name, row_value(row, name));
      json.close_object();
      continue;
    }
    for (const EstimateColumn& column : key_columns()) json.value(column.name, column.get(row));
    options.add_to(json, row.options);
    for (const EstimateColumn& column : estimate_columns())
      json.value(column.name, column.get(row));
    add_phases(json, "phases", row.phases);
    add_phases(json, "device_phases", row.device_phases);
    add_phases(json, "side_phases", row.side_phases);
    add_metrics(json, row);
    if (row.worker != nullptr) json.text("worker_id", row.worker->worker_id);
    add_launches(json, row);
    add_case_findings(json, row, proposals);
    json.close_object();
  }
  json.close_array();
  std::vector<std::string> names = record_names(rows);
  std::erase(names, "launches");  // of the case; the metric of that name counts calls
  names.insert(names.end(), {"step_device_ns", "host_lead_ns"});
  add_sources(json, names, results.columns);
  add_answer(json, rows, results);
  add_runs(json, results);
  json.texts("notes", notes_of(rows, results)).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench
