// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::vector<std::string> full_names(std::span<const estimate::CaseRow> rows,
                                    std::vector<std::string> names) {
  for (std::string& name : names) name = estimate::full_name(name, rows, "--columns");
  return names;
}

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

void add_metrics(json::JsonText& json, const estimate::CaseRow& row) {
  const std::vector<estimate::MetricMedian> metrics = estimate::metric_medians(row);
  if (metrics.empty()) return;
  json.open_object("metrics");
  for (const estimate::MetricMedian& metric : metrics) json.number(metric.name, metric.value);
  json.close_object();
}

void add_phases(json::JsonText& json, std::string_view name,
                const std::vector<estimate::PhaseEstimate>& phases) {
  if (phases.empty()) return;
  json.open_object(name);
  for (const estimate::PhaseEstimate& phase : phases) {
    json.open_object(phase.name).number("ns", phase.ns).number("share", phase.share).close_object();
  }
  json.close_object();
}

void add_phases(json::JsonText& json, std::string_view name,
                const std::vector<estimate::PhaseTime>& phases,
                const estimate::LaunchEstimate& of) {
  if (phases.empty()) return;
  json.open_object(name);
  for (const estimate::PhaseTime& phase : phases) {
    json.number(phase.name + "_ns", static_cast<double>(phase.ns) / static_cast<double>(of.steps));
  }
  json.close_object();
}

void add_launches(json::JsonText& json, const estimate::CaseRow& row) {
  json.open_array("launch_estimates");
  for (const auto& [launch, estimate] : row.measured) {
    const estimate::StepQuantiles& quantiles = estimate.quantiles;
    json.open_object().integer("launch", launch->row.key.launch);
    json.number("step_ns", estimate::step_ns(estimate, row.clock));
    json.integer("window_ns", estimate::window_ns(estimate, row.clock))
        .integer("steps", estimate.steps);
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

void add_case_findings(json::JsonText& json, const estimate::CaseRow& row,
                       const estimate::Proposals& proposals) {
  json.open_array("findings");
  for (const CaseFinding& each : findings_of(row, proposals)) {
    json.open_object();
    json::FieldWriter writer(json);
    fields(writer, each.finding);
    json.integer("launches", static_cast<std::int64_t>(each.launches));
    if (each.answer) {
      json.open_object("measured").text("case_id", each.answer->row->case_id);
      json.text("result", name_of(each.answer->kind));
      if (each.answer->kind != estimate::Difference::kNoNumbers) {
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

void write_json(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                const std::vector<std::string>& select, const estimate::Proposals& proposals,
                const json::TextSink& sink) {
  json::JsonText json;
  OptionsText options;
  const std::vector<std::string> chosen = full_names(rows, select);
  json.open_object().open_array("cases");
  for (const estimate::CaseRow& row : rows) {
    if (json.line().size() > json::kTextPiece) json.pass_on(sink);
    json.open_object();
    if (!chosen.empty()) {
      for (const std::string& name : chosen) json.value(name, estimate::row_value(row, name));
      json.close_object();
      continue;
    }
    add_columns(json, row, estimate::key_columns(), true);
    options.add_to(json, row.options());
    add_columns(json, row, estimate::estimate_columns(), true);
    add_columns(json, row, estimate::request_columns(), false);
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

namespace {

void add_names(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

// Cases that each have names of their own make a table of squares, most of it empty.
void refuse_many_cells(std::size_t columns, std::size_t rows) {
  constexpr std::size_t kMaxCells = 100'000'000;
  if (columns <= kMaxCells / std::max<std::size_t>(rows, 1)) return;
  const auto number = [](std::size_t n) {
    return text::with_separators(static_cast<std::int64_t>(n));
  };
  throw ConfigError("csv",
                    number(columns) + " columns for " + number(rows) + " cases are more than " +
                        number(kMaxCells) +
                        " cells; --columns chooses some, --format json writes what each case has");
}

}  // namespace

void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const json::TextSink& sink) {
  std::vector<std::string> names = full_names(rows, select);
  std::vector<std::string> shared;  // facts about the run and its worker, which many rows share
  if (select.empty()) {
    names = estimate::record_names(rows);
    const estimate::DetailNames details = estimate::detail_names(rows);
    for (const auto* more : {&details.requests, &details.phases, &details.metrics}) {
      add_names(names, *more);
    }
    shared = details.labels;
    add_names(shared, details.environment);
  }
  const std::size_t own = names.size();
  add_names(names, shared);
  refuse_many_cells(names.size(), rows.size());
  std::vector<CsvColumn<estimate::CaseRow>> columns;
  for (const std::string& name : names) columns.push_back({name, estimate::row_getter(name)});
  const auto cells = [](const auto& of, const estimate::CaseRow& row) {
    return csv_cells<estimate::CaseRow>(of, row);
  };
  std::string text = csv_heads(columns);
  std::string end;  // the cells of `shared`
  const estimate::CaseRow* before = nullptr;
  for (const estimate::CaseRow& row : rows) {
    const bool same = before != nullptr && before->run == row.run && before->worker == row.worker;
    before = &row;
    if (!same && !shared.empty()) end = ',' + cells(std::span(columns).subspan(own), row);
    text += cells(std::span(columns).first(own), row) + end + '\n';
    if (text.size() < json::kTextPiece) continue;
    sink(text);
    text.clear();
  }
  sink(text);
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
