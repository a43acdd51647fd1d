// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/analysis_blocks.h"
#include "harness/report/analysis_report.h"
#include "harness/report/analysis_rows.h"

namespace stepbench::report {
namespace {

void add_source(const AnalysedTrace& analysed, json::JsonText& json, BlockJson& out) {
  const trace::Trace& trace = *analysed.trace;
  json.open_object("source");
  out.text("path", analysed.path)("rows", trace.reading.rows);
  out("text_bytes", trace.reading.text_bytes)("compressed", trace.reading.compressed);
  out("own", trace.own)("rank", trace.rank)("world", trace.world)("base_ns", trace.base_ns);
  out("resolution_ns", trace.resolution_ns).rows("devices", trace.devices);
  json.open_object("own_facts");
  for (const auto& [key, value] : trace.own_facts) json.text(key, value);
  json.close_object();
  out.object("counts", analysed.analysis.counts);
  json.close_object();
}

void add_steps(const analyze::Analysis& analysis, json::JsonText& json, BlockJson& out) {
  const analyze::Steps& steps = analysis.steps;
  json.open_object("steps").text("window", name_of(steps.window));
  if (!steps.reason.empty()) json.text("reason", steps.reason);
  std::vector<std::int64_t> counted;
  for (const std::size_t i : steps.counted()) counted.push_back(std::int64_t(i));
  json.integers("counted", counted);
  out.rows("steps", steps.steps);
  json.integer("profiler_overhead_ns", analysis.profiler_overhead_ns).close_object();
}

// Vectors have one value per step.
void add_idle(const analyze::IdleReport& report, analyze::WindowKind window, json::JsonText& json,
              BlockJson& out) {
  static constexpr std::string_view kScopes[] = {"device", "all_devices", "host"};
  const auto vector = [&](std::string_view key, const auto& of) {
    std::vector<std::int64_t> values;
    for (const analyze::StepTime& step : report.steps) values.push_back(of(step));
    json.integers(key, values);
  };
  json.open_object().text("scope", kScopes[static_cast<std::size_t>(report.scope)]);
  if (report.device) json.integer("device", *report.device);
  json.text("window", name_of(window));
  vector("wall_ns", [](const analyze::StepTime& step) { return step.wall_ns; });
  for (const analyze::StepPart& part : analyze::step_parts()) {
    vector(std::string(part.name) + "_ns", part.of);
  }
  vector("data_loading_ns", [](const analyze::StepTime& step) { return step.data_loading_ns; });
  vector("data_hidden_ns", [](const analyze::StepTime& step) { return step.data_hidden_ns; });
  out.rows("places", report.places);
  out.rows("gaps", report.gaps);
  json.close_object();
}

}  // namespace

std::string analysis_json(const AnalysedTrace& analysed, int exit_status) {
  const analyze::Analysis& analysis = analysed.analysis;
  json::JsonText json;
  BlockJson out(json, *analysed.trace);
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  add_source(analysed, json, out);
  out.rows("integrity", analysis.integrity);
  add_steps(analysis, json, out);
  json.open_array("idle");
  for (const analyze::IdleReport& report : analysis.idle) {
    add_idle(report, analysis.steps.window, json, out);
  }
  json.close_array().open_object("blocks");
  for (const TraceBlock& block : trace_blocks()) block.write(json, block, analysed);
  json.close_object();
  json::FieldWriter writer(json);
  writer("findings", analysed.findings);
  json.integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
