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
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Caches the JSON text of options: most cases share most options with the case before.
class OptionsText {
 public:
  void add_to(json::JsonText& json, const OptionValues& options) {
    std::string text = "{";
    std::size_t place = 0;
    for (const auto& [name, value] : options) {
      if (place == before_.size()) before_.emplace_back();
      Member& member = before_[place++];
      const bool is_same =
          member.value == &value ||  // shared with the previous case
          (member.value != nullptr && member.name == name && *member.value == value);
      if (!is_same) {
        json::JsonText json_member;
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
  std::vector<Member> before_;  // by position; points into the rows
};

// Caches the JSON keys of metrics: most cases have the same metrics as the case before.
class MetricsText {
 public:
  void add_to(json::JsonText& json, const estimate::CaseRow& row) {
    const std::vector<estimate::MetricMedian> metrics = estimate::metric_medians(row);
    if (metrics.empty()) return;
    json.open_object("metrics");
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (i == keys_.size()) keys_.emplace_back(metrics[i].name);
      if (keys_[i].name() != metrics[i].name) keys_[i] = json::JsonKey(metrics[i].name);
      json.number(keys_[i], metrics[i].value);
    }
    json.close_object();
  }

 private:
  std::vector<json::JsonKey> keys_;  // by position
};

struct ColumnKey {
  json::JsonKey key;
  estimate::CaseValue get;
};

std::vector<ColumnKey> column_keys(std::span<const estimate::EstimateColumn> columns) {
  std::vector<ColumnKey> keys;
  for (const estimate::EstimateColumn& column : columns)
    keys.push_back({json::JsonKey(column.metric.name), column.get});
  return keys;
}

std::vector<std::string> selected(std::span<const estimate::CaseRow> rows,
                                  const std::vector<std::string>& select) {
  std::vector<std::string> names;
  for (const std::string& name : select)
    names.push_back(estimate::full_name(name, rows, "--columns"));
  return names;
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
  MetricsText metrics;
  const std::vector<ColumnKey> keys = column_keys(estimate::key_columns());
  const std::vector<ColumnKey> estimates = column_keys(estimate::estimate_columns());
  const std::vector<ColumnKey> requests = column_keys(estimate::request_columns());
  const std::vector<std::string> chosen = selected(rows, select);
  json.open_object().open_array("cases");
  for (const estimate::CaseRow& row : rows) {
    if (json.line().size() > json::kTextPiece) json.pass_on(sink);
    json.open_object();
    if (!chosen.empty()) {
      for (const std::string& name : chosen) json.value(name, estimate::row_value(row, name));
      json.close_object();
      continue;
    }
    for (const ColumnKey& column : keys) json.value(column.key, column.get(row));
    options.add_to(json, row.options());
    for (const ColumnKey& column : estimates) json.value(column.key, column.get(row));
    for (const ColumnKey& column : requests) {
      if (const Value value = column.get(row); !is_null(value)) json.value(column.key, value);
    }
    add_phases(json, "phases", row.phases);
    add_phases(json, "device_phases", row.device_phases);
    add_phases(json, "side_phases", row.side_phases);
    metrics.add_to(json, row);
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

void append_cell(std::string& text, const Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) {
    text += csv_cell(*words);
  } else if (!is_null(value)) {
    append_text(text, value);  // numbers and booleans need no quotes
  }
}

// Caches cells shared by many rows: properties of a run or a worker.
class SharedCells {
 public:
  explicit SharedCells(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::string& text(const void* owner, const estimate::CaseRow& row) {
    const auto [found, is_new] = texts_.try_emplace(owner);
    if (is_new) {
      for (const std::string& name : names_)
        append_cell(found->second += ',', estimate::row_value(row, name));
    }
    return found->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<const void*, std::string> texts_;
};

// Appends a cell for each of `names`, in one walk over both: `names` and `named` are sorted by
// name.
template <typename Named>
void append_named(const std::vector<std::string>& names, const Named& named, std::string& text) {
  auto at = named.begin();
  for (const std::string& name : names) {
    text += ',';
    for (; at != named.end(); ++at) {
      const auto& [known, value] = *at;
      if (known < name) continue;
      if (known == name) append_cell(text, value);
      break;
    }
  }
}

// Names of the metrics as in the launches: columns have a prefix if a name is taken.
std::vector<std::string> metrics_of_columns(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.starts_with(estimate::kMetricPrefix)) name.erase(0, estimate::kMetricPrefix.size());
  }
  return names;
}

void end_line(std::string& text, const json::TextSink& sink) {
  text += '\n';
  if (text.size() < json::kTextPiece) return;
  sink(text);
  text.clear();
}

void append_cells(const estimate::CaseRow& row, std::span<const estimate::EstimateColumn> columns,
                  std::string& text) {
  for (const estimate::EstimateColumn& column : columns) append_cell(text += ',', column.get(row));
}

// Writes all columns. For speed, cells shared by many rows and sorted members are not looked up one
// by one.
void write_whole_csv(const std::vector<estimate::CaseRow>& rows, const json::TextSink& sink) {
  estimate::DetailNames details = estimate::detail_names(rows);
  std::vector<estimate::CaseValue> times;
  for (const auto* names : {&details.requests, &details.phases}) {
    for (const std::string& name : *names) times.push_back(estimate::row_getter(name));
  }
  std::vector<std::string> heads = estimate::record_names(rows);
  const auto options_begin = heads.begin() + std::ssize(estimate::key_columns());
  const std::vector<std::string> options(options_begin,
                                         heads.end() - std::ssize(estimate::estimate_columns()));
  for (const auto* more : {&details.requests, &details.phases, &details.metrics, &details.labels,
                           &details.environment}) {
    heads.insert(heads.end(), more->begin(), more->end());
  }
  const std::vector<std::string> metrics = metrics_of_columns(details.metrics);
  SharedCells labels(std::move(details.labels));
  SharedCells environment(std::move(details.environment));
  std::string text = text::join(heads, ",", csv_cell) + '\n';
  for (const estimate::CaseRow& row : rows) {
    const std::size_t begin = text.size();
    append_cells(row, estimate::key_columns(), text);
    text.erase(begin, 1);  // the leading comma
    append_named(options, row.options(), text);
    append_cells(row, estimate::estimate_columns(), text);
    for (const estimate::CaseValue& get : times) append_cell(text += ',', get(row));
    append_named(metrics, estimate::metric_medians(row), text);
    text += labels.text(row.run, row);
    text += environment.text(row.worker, row);
    end_line(text, sink);
  }
  sink(text);
}

}  // namespace

void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const json::TextSink& sink) {
  if (select.empty()) return write_whole_csv(rows, sink);
  std::vector<std::string> names;
  std::vector<estimate::CaseValue> getters;
  for (const std::string& name : select) {
    names.push_back(estimate::full_name(name, rows, "--columns"));
    getters.push_back(estimate::row_getter(names.back()));
  }
  std::string text = text::join(names, ",", csv_cell) + '\n';
  for (const estimate::CaseRow& row : rows) {
    for (std::size_t i = 0; i < getters.size(); ++i) {
      if (i > 0) text += ',';
      append_cell(text, getters[i](row));
    }
    end_line(text, sink);
  }
  sink(text);
}

void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions) {
  bool open = false;
  for (const std::string& name : names) {
    const auto found = std::find_if(definitions.begin(), definitions.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    if (found == definitions.end() || found->source == Source::kUnknown) continue;
    if (!open) json.open_object("sources");
    open = true;
    json.text(name, name_of(found->source));
  }
  if (open) json.close_object();
}

}  // namespace stepbench::report
