// SPDX-License-Identifier: Apache-2.0
#include "harness/record/encode.h"

#include <array>
#include <cmath>

#include "harness/findings/findings_json.h"
#include "harness/json/json_text.h"

namespace stepbench::record {
namespace {

template <typename Enum, std::size_t n>
std::string_view pick(const std::array<std::string_view, n>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

void add_key(json::JsonText& json, const LaunchKey& key) {
  json.text("case_id", key.case_id).text("arm", key.arm).text("pass", name_of(key.pass));
  json.integer("launch", key.launch).integer("rank", key.rank);
}

std::string_view spelling(double number) {
  if (std::isnan(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

// JSON has no NaN: the value is null and its reason stands here under "section.name".
template <typename Values>
void add_non_finite(json::JsonText& json, std::string_view section, const Values& values) {
  for (const auto& [key, value] : values) {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || std::isfinite(*number)) continue;
    json.text(std::string(section) + '.' + key, spelling(*number));
  }
}

void add_asked(json::JsonText& json, const CommandLine& asked) {
  json.open_object("asked").text("folder", asked.folder);
  json.texts("set", asked.set).texts("sweep", asked.sweep).texts("filter", asked.filter);
  json.texts("cases", asked.cases).text("worker", asked.worker).close_object();
}

void add_series(json::JsonText& json, const Series& series) {
  json.texts("columns", series.names).open_array("values");
  for (const auto& column : series.columns) json.integers({}, column);
  json.close_array();
}

void add_metrics(json::JsonText& json, const LaunchReport& report) {
  json.open_object("metrics");
  for (const auto& [name, value] : report.metrics) {
    if (value) {
      json.number(name, *value);
    } else {
      json.null(name);
    }
  }
  json.close_object();
}

void add_non_finite(json::JsonText& json, const LaunchReport& report) {
  add_non_finite(json, "effective", report.effective);
  add_non_finite(json, "schedule", report.schedule);
  add_non_finite(json, "fingerprint", report.fingerprint);
}

void add_non_finite(json::JsonText& json, const LaunchReport::Metrics& metrics) {
  for (const auto& [name, value] : metrics) {
    if (!value) json.text("metrics." + name, "not finite");
    if (value && !std::isfinite(*value)) json.text("metrics." + name, spelling(*value));
  }
}

void add_samples(json::JsonText& json, const CycleSamples& samples) {
  json.integer("cycle", samples.cycle);
  json.integer("steps", static_cast<std::int64_t>(samples.steps.steps()));
  add_series(json, samples.steps);
}

void add_frame(json::JsonText& json, const ops::OpFrame& frame) {
  json.text("table", frame.table).texts("strings", frame.strings);
  json.integer("rows", static_cast<std::int64_t>(frame.series.steps()));
  add_series(json, frame.series);
}

void add_report(json::JsonText& json, const LaunchReport& report) {
  json.values("effective", report.effective);
  json.values("schedule", report.schedule);
  add_metrics(json, report);
  json.values("fingerprint", report.fingerprint);
  json.texts("flags", report.flags).texts("notes", report.notes);
  if (!report.findings.empty()) findings::add_findings(json, "findings", report.findings);
}

}  // namespace

std::string_view name_of(Pass pass) {
  return pick(std::to_array<std::string_view>({"timing", "native", "kineto", "wrapped"}), pass);
}

std::string_view name_of(Outcome::Kind kind) {
  return pick(std::to_array<std::string_view>({"measured", "skipped", "failed"}), kind);
}

std::string_view name_of(Role role) {
  return pick(std::to_array<std::string_view>({"key", "context", "metric"}), role);
}

std::string_view name_of(Direction direction) {
  return pick(std::to_array<std::string_view>({"lower", "higher", "neither"}), direction);
}

std::string encode(const RunRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "run").text("schema", kResultSchema);
  json.text("version", std::to_string(kResultMajor) + '.' + std::to_string(kResultMinor) + ".0");
  json.text("run_id", row.run_id).text("name", row.name);
  json.text("stepbench_version", row.stepbench_version).text("started_utc", row.started_utc);
  json.texts("argv", row.argv).text("config_path", row.config_path);
  json.text("config_text", row.config_text).text("config_hash", row.config_hash);
  json.text("plan_digest", row.plan_digest).integer("cases", row.cases);
  json.texts("swept", row.swept).flag("smoke", row.smoke);
  add_asked(json, row.asked);
  json.values("labels", row.labels);
  json.values("context", row.context);
  return json.close_object().take();
}

std::string encode(const ColumnRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "columns").open_array("columns");
  for (const Metric& metric : row.columns) {
    json.open_object().text("name", metric.name).text("unit", metric.unit);
    json.text("role", name_of(metric.role)).text("direction", name_of(metric.direction));
    json.text("doc", metric.doc);
    if (metric.source != Source::kUnknown) json.text("source", stepbench::name_of(metric.source));
    if (metric.exact || exact_by_unit(metric)) json.flag("exact", metric.exact);
    if (metric.phase) json.flag("phase", true);
    json.close_object();
  }
  return json.close_array().close_object().take();
}

std::string encode(const WorkerRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "worker").text("worker_id", row.worker_id);
  json.text("path", row.path).text("build_id", row.build_id);
  json.values("environment", row.environment);
  return json.close_object().take();
}

std::string encode(const StartRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "start");
  add_key(json, row.key);
  json.integer("attempt", row.attempt).text("started_utc", row.started_utc);
  json.values("options", row.options);
  return json.close_object().take();
}

std::string encode(const SamplesRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "samples");
  add_key(json, row.key);
  add_samples(json, row.samples);
  return json.close_object().take();
}

std::string encode(const CycleSamples& samples) {
  json::JsonText json;
  json.open_object().text("kind", "samples");
  add_samples(json, samples);
  return json.close_object().take();
}

std::string encode(const OpsRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "ops");
  add_key(json, row.key);
  add_frame(json, row.frame);
  return json.close_object().take();
}

std::string encode(const ops::OpFrame& frame) {
  json::JsonText json;
  json.open_object().text("kind", "ops");
  add_frame(json, frame);
  return json.close_object().take();
}

std::string encode(const LaunchReport& report) {
  json::JsonText json;
  json.open_object().text("kind", "launch");
  add_report(json, report);
  json.open_object("non_finite");
  add_non_finite(json, report);
  add_non_finite(json, report.metrics);
  return json.close_object().close_object().take();
}

std::string encode(const LaunchRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "launch");
  add_key(json, row.key);
  json.text("point_id", row.point_id).text("workload", row.workload);
  json.text("worker_id", row.worker_id).integer("world", row.world).integer("block", row.block);
  json.integer("position", row.position).integer("attempt", row.attempt).flag("smoke", row.smoke);
  json.text("outcome", name_of(row.outcome.kind)).text("reason", row.outcome.reason);
  json.text("stage", row.stage);
  json.values("options", row.options);
  add_report(json, row.report);
  json.values("machine", row.machine);
  json.open_object("non_finite");
  add_non_finite(json, "options", row.options);
  add_non_finite(json, row.report);
  add_non_finite(json, "machine", row.machine);
  add_non_finite(json, row.report.metrics);
  json.close_object();
  json.text("started_utc", row.started_utc).integer("wall_ns", row.wall_ns);
  json.text("output", row.output).text("repeat_command", row.repeat_command);
  return json.close_object().take();
}

std::string encode(const EndRow& row) {
  json::JsonText json;
  json.open_object().text("kind", "end").integer("measured", row.measured);
  json.integer("skipped", row.skipped).integer("failed", row.failed);
  json.text("reason", row.reason).text("ended_utc", row.ended_utc);
  return json.close_object().take();
}

}  // namespace stepbench::record
