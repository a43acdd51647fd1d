// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/analysis_blocks.h"
#include "harness/report/analysis_report.h"
#include "harness/report/analysis_rows.h"

namespace stepbench::report {
namespace {

class AnalysisWriter {
 public:
  explicit AnalysisWriter(const AnalysedTrace& analysed)
      : analysed_(analysed), analysis_(analysed.analysis), trace_(*analysed.trace) {}

  std::string write(int exit_status) {
    json_.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
    add_source();
    add_integrity();
    add_steps();
    json_.open_array("idle");
    for (const analyze::IdleReport& report : analysis_.idle) add_idle(report);
    json_.close_array();
    json_.open_object("blocks");
    for (const TraceBlock& block : trace_blocks()) block.write(json_, block, analysed_);
    json_.close_object();
    json::FieldWriter writer(json_);
    writer("findings", analysed_.findings);
    json_.integer("exit_code", exit_status).close_object();
    return json_.take();
  }

 private:
  // Zeros are what a header does not say.
  static std::optional<std::int64_t> said(std::int64_t known, std::int64_t value) {
    return known > 0 ? std::optional(value) : std::nullopt;
  }
  template <typename Number>
  void perhaps(std::string_view key, const std::optional<Number>& value) {
    if (value) {
      json_.value(key, Value(*value));
    } else {
      json_.null(key);
    }
  }
  void add_source() {
    const trace::ReadingFacts& reading = trace_.reading;
    json_.open_object("source").text("path", analysed_.path);
    json_.integer("rows", reading.rows).integer("text_bytes", std::int64_t(reading.text_bytes));
    json_.flag("compressed", reading.compressed).flag("own", trace_.own);
    perhaps("rank", trace_.rank);
    perhaps("world", trace_.world);
    perhaps("base_ns", trace_.base_ns);
    json_.integer("resolution_ns", trace_.resolution_ns);
    json_.open_array("devices");
    for (const ops::TraceDevice& device : trace_.devices) {
      json_.open_object().integer("id", device.id).text("name", device.name);
      perhaps("total_memory_bytes", said(device.total_memory_bytes, device.total_memory_bytes));
      perhaps("compute_major", said(device.compute_major, device.compute_major));
      perhaps("compute_minor", said(device.compute_major, device.compute_minor));
      json_.close_object();
    }
    json_.close_array();
    json_.open_object("own_facts");
    for (const auto& [key, value] : trace_.own_facts) json_.text(key, value);
    json_.close_object();
    const analyze::TraceCounts& counts = analysis_.counts;
    json_.open_object("counts").integer("ops", counts.ops);
    json_.integer("annotations", counts.annotations).integer("python", counts.python);
    json_.integer("calls", counts.calls).integer("device_rows", counts.device_rows);
    json_.integer("syncs", counts.syncs).integer("overhead", counts.overhead).close_object();
    json_.close_object();
  }
  void add_integrity() {
    json_.open_array("integrity");
    for (const analyze::IntegrityNote& note : analysis_.integrity) {
      json_.open_object().text("id", note.id).text("level", name_of(note.level));
      json_.text("text", note.text).integer("count", note.count).integer("of", note.of);
      json_.close_object();
    }
    json_.close_array();
  }
  void add_steps() {
    const analyze::Steps& steps = analysis_.steps;
    json_.open_object("steps").text("window", name_of(steps.window));
    if (!steps.reason.empty()) json_.text("reason", steps.reason);
    std::vector<std::int64_t> counted;
    for (const std::size_t i : steps.counted()) counted.push_back(std::int64_t(i));
    json_.integers("counted", counted).open_array("steps");
    for (const analyze::Step& step : steps.steps) {
      json_.open_object().integer("number", step.number);
      BlockJson(json_, trace_).span("window", step.window);
      json_.flag("edge", step.edge).flag("truncated", step.truncated);
      json_.integer("device_rows", step.device_rows).integer("spill_ns", step.spill_ns);
      json_.close_object();
    }
    json_.close_array().integer("profiler_overhead_ns", analysis_.profiler_overhead_ns);
    json_.close_object();
  }
  void add_idle(const analyze::IdleReport& report) {
    static constexpr std::string_view kScopes[] = {"device", "all_devices", "host"};
    json_.open_object().text("scope", kScopes[static_cast<std::size_t>(report.scope)]);
    if (report.device) json_.integer("device", *report.device);
    json_.text("window", name_of(analysis_.steps.window));
    vector("wall_ns", report, [](const analyze::StepTime& step) { return step.wall_ns; });
    for (const analyze::StepPart& part : analyze::step_parts()) {
      vector(std::string(part.name) + "_ns", report, part.of);
    }
    vector("data_loading_ns", report,
           [](const analyze::StepTime& step) { return step.data_loading_ns; });
    vector("data_hidden_ns", report,
           [](const analyze::StepTime& step) { return step.data_hidden_ns; });
    BlockJson out(json_, trace_);
    out.rows("places", report.places);
    out.rows("gaps", report.gaps);
    json_.close_object();
  }
  template <typename Of>
  void vector(std::string_view key, const analyze::IdleReport& report, const Of& of) {
    std::vector<std::int64_t> values;
    for (const analyze::StepTime& step : report.steps) values.push_back(of(step));
    json_.integers(key, values);
  }

  const AnalysedTrace& analysed_;
  const analyze::Analysis& analysis_;
  const trace::Trace& trace_;
  json::JsonText json_;
};

}  // namespace

std::string analysis_json(const AnalysedTrace& analysed, int exit_status) {
  return AnalysisWriter(analysed).write(exit_status) + '\n';
}

}  // namespace stepbench::report
