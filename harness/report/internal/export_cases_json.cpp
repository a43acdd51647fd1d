// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/exports.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"

namespace stepbench::report {
namespace {

void add_columns(json::JsonText& json, const estimate::CaseRow& row,
                 std::span<const estimate::EstimateColumn> columns, bool with_null) {
  for (const estimate::EstimateColumn& column : columns) {
    const Value value = column.get(row);
    if (with_null || !is_null(value)) json.value(column.metric.name, value);
  }
}

// Keeps the text of each option: cases share most of theirs, as the same objects.
class OptionsText {
 public:
  void add_to(json::JsonText& json, const OptionValues& options) {
    std::string text;
    std::size_t place = 0;
    for (const auto& [name, value] : options) {
      if (place == before_.size()) before_.emplace_back();
      Member& member = before_[place++];
      if (member.value != &value) member = {&value, json::JsonText().value(name, value).take()};
      text.append(place == 1 ? "" : ",").append(member.text);
    }
    json.json("options", '{' + text + '}');
  }

 private:
  struct Member {
    const Value* value = nullptr;
    std::string text = {};
  };
  std::vector<Member> before_;  // by position; points into the rows
};

// An object of what `add` writes of each item; none without items.
template <typename Items, typename Add>
void add_object(json::JsonText& json, std::string_view name, const Items& items, const Add& add) {
  if (items.empty()) return;
  json.open_object(name);
  for (const auto& each : items) add(each);
  json.close_object();
}

void add_launch(json::JsonText& json, const estimate::MeasuredLaunch& measured,
                estimate::StepClock clock) {
  const auto& [launch, estimate] = measured;
  json::FieldWriter v(json);
  json.open_object();
  v("launch", launch->row.key.launch)("step_ns", estimate::step_ns(estimate, clock));
  v("window_ns", estimate::window_ns(estimate, clock))("steps", estimate.steps);
  if (estimate.latency) v("latency_p50_ns", estimate.latency->p50_ns);
  const estimate::StepQuantiles& quantiles = estimate.quantiles;
  v("step_p50_ns", quantiles.p50_ns)("step_p90_ns", quantiles.p90_ns);
  v("step_p99_ns", quantiles.p99_ns, json::kSparse)("step_iqr_ns", quantiles.iqr_ns);
  v("uneven", estimate.uneven, json::kSparse);
  for (const auto& [name, phases] :
       {std::pair{"phases", &estimate.phases}, std::pair{"device_phases", &estimate.device_phases},
        std::pair{"side_phases", &estimate.side_phases}}) {
    const auto steps = static_cast<double>(estimate.steps);
    add_object(json, name, *phases, [&](const estimate::PhaseTime& phase) {
      json.number(phase.name + "_ns", static_cast<double>(phase.ns) / steps);
    });
  }
  v("step_device_ns", estimate.device_span_ns, json::kSparse);
  v("host_lead_ns", estimate.host_lead_ns, json::kSparse);
  json.close_object();
}

void add_finding(json::JsonText& json, const CaseFinding& found) {
  json::FieldWriter v(json);
  json.open_object();
  fields(v, found.finding);
  v("launches", found.launches);
  if (found.answer) {
    json.open_object("measured");
    v("case_id", found.answer->row->case_id)("result", found.answer->kind);
    const bool compared = found.answer->kind != estimate::Difference::kNoNumbers;
    v("speed_ratio", found.answer->ratio, {.written = compared})("text", found.answer_text);
    json.close_object();
  }
  v("try", found.arguments, json::kSparse);
  json.close_object();
}

void add_case(json::JsonText& json, const estimate::CaseRow& row, OptionsText& options,
              const estimate::Proposals& proposals) {
  add_columns(json, row, estimate::key_columns(), true);
  options.add_to(json, row.options());
  add_columns(json, row, estimate::estimate_columns(), true);
  add_columns(json, row, estimate::request_columns(), false);
  for (const auto& [name, phases] :
       {std::pair{"phases", &row.phases}, std::pair{"device_phases", &row.device_phases},
        std::pair{"side_phases", &row.side_phases}}) {
    add_object(json, name, *phases, [&](const estimate::PhaseEstimate& phase) {
      json.open_object(phase.name).number("ns", phase.ns).number("share", phase.share);
      json.close_object();
    });
  }
  add_object(json, "metrics", estimate::metric_medians(row),
             [&](const estimate::MetricMedian& metric) { json.number(metric.name, metric.value); });
  if (row.worker != nullptr) json.text("worker_id", row.worker->worker_id);
  json.open_array("launch_estimates");
  for (const estimate::MeasuredLaunch& each : row.measured) add_launch(json, each, row.clock);
  json.close_array().open_array("findings");
  for (const CaseFinding& each : findings_of(row, proposals)) add_finding(json, each);
  json.close_array();
}

}  // namespace

void write_json(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                const std::vector<std::string>& select, const estimate::Proposals& proposals,
                const json::TextSink& sink) {
  json::JsonText json;
  OptionsText options;
  std::vector<std::string> chosen;
  for (const std::string& name : select) {
    chosen.push_back(estimate::full_name(name, rows, "--columns"));
  }
  json.open_object().open_array("cases");
  for (const estimate::CaseRow& row : rows) {
    if (json.line().size() > json::kTextPiece) json.pass_on(sink);
    json.open_object();
    for (const std::string& name : chosen) json.value(name, estimate::row_value(row, name));
    if (chosen.empty()) add_case(json, row, options, proposals);
    json.close_object();
  }
  json.close_array();
  std::vector<std::string> names = estimate::record_names(rows);
  std::erase(names, "launches");  // drops the case's column; the metric of this name counts calls
  names.insert(names.end(), {"step_device_ns", "host_lead_ns"});
  add_sources(json, names, results.columns);
  add_answer(json, rows, results);
  add_runs(json, results);
  json.texts("notes", document::lines_of(notes_of(rows, results))).close_object();
  sink(json.take() + '\n');
}

std::string json_of(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                    const std::vector<std::string>& select, const estimate::Proposals& proposals) {
  return json::whole_text(
      [&](const json::TextSink& sink) { write_json(rows, results, select, proposals, sink); });
}

void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions) {
  bool open = false;
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(
        definitions, [&](const Metric& metric) { return metric.name == name; });
    if (found == definitions.end() || found->source == Source::kUnknown) continue;
    if (!open) json.open_object("sources");
    open = true;
    json.text(name, name_of(found->source));
  }
  if (open) json.close_object();
}

}  // namespace stepbench::report
