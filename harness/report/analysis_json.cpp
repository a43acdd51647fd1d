// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/analysis_report.h"
#include "harness/report/analysis_work_json.h"

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
    block("data_loading", analysis_.data_loading, [&](const auto& each) { add(each); });
    block("loader_work", analysis_.loader_work, [&](const auto& each) { add(each); });
    block("copies", analysis_.copies, [&](const auto& each) { add(each); });
    add_waits(analysis_.host_waits);
    block("kernels", analysis_.kernels, [&](const auto& each) { add(each); });
    block("efficiency", analysis_.efficiency,
          [&](const auto& each) { add_efficiency(json_, trace_, each); });
    rows("collectives", analysis_.collectives);
    rows("operators", analysis_.operators);
    rows("runtime_calls", analysis_.runtime_calls);
    rows("memory", analysis_.memory);
    block("launches", analysis_.launches, [&](const auto& each) { add(each); });
    rows("queues", analysis_.queues);
    if (analysis_.kernel_sequences) rows("kernel_sequences", *analysis_.kernel_sequences);
    if (analysis_.critical_path) {
      block("critical_path", *analysis_.critical_path,
            [&](const auto& each) { add_critical_path(json_, trace_, each); });
    }
    json_.close_object();
    json::FieldWriter writer(json_);
    writer("findings", analysed_.findings);
    json_.integer("exit_code", exit_status).close_object();
    return json_.take();
  }

 private:
  void name(std::string_view key, std::uint32_t index) {
    if (index == ops::kNoIndex) {
      json_.null(key);
    } else {
      json_.text(key, trace_.names[index].text);
    }
  }
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
  void span(std::string_view key, const analyze::TimeSpan& at) {
    json_.open_object(key).integer("start_ns", at.begin_ns).integer("end_ns", at.end_ns);
    json_.close_object();
  }
  void summary(std::string_view key, const analyze::Summary& of) { add_summary(json_, key, of); }
  // What is not known is null, with the reason beside it.
  template <typename Of, typename Add>
  void block(std::string_view key, const analyze::ValueOrReason<Of>& known,
             const Add& add_members_of) {
    if (!known) {
      json_.null(key).text(std::string(key) + "_reason", known.reason());
      return;
    }
    json_.open_object(key);
    add_members_of(*known);
    json_.close_object();
  }
  template <typename Row>
  void rows(std::string_view key, const analyze::ValueOrReason<std::vector<Row>>& known) {
    if (!known) {
      json_.null(key).text(std::string(key) + "_reason", known.reason());
      return;
    }
    json_.open_array(key);
    for (const Row& row : *known) {
      json_.open_object();
      add(row);
      json_.close_object();
    }
    json_.close_array();
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
      span("window", step.window);
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
    json_.open_array("places");
    for (const analyze::IdlePlace& place : report.places) {
      json_.open_object().text("cause", name_of(place.cause));
      name("name", place.name);
      name("call", place.call);
      name("annotation", place.annotation);
      name("caller", place.caller);
      name("work", place.work);
      json_.integer("idle_ns", place.idle_ns).integer("rows", place.rows);
      span("longest", place.longest);
      span("longest_row", place.longest_row);
      json_.close_object();
    }
    json_.close_array().open_array("gaps");
    for (const analyze::IdleGap& gap : report.gaps) {
      json_.open_object();
      span("at", gap.at);
      name("before", gap.before);
      name("after", gap.after);
      name("python", gap.python);
      name("caller", gap.caller);
      json_.close_object();
    }
    json_.close_array().close_object();
  }
  template <typename Of>
  void vector(std::string_view key, const analyze::IdleReport& report, const Of& of) {
    std::vector<std::int64_t> values;
    for (const analyze::StepTime& step : report.steps) values.push_back(of(step));
    json_.integers(key, values);
  }

  void add(const analyze::DataLoading& of) {
    json_.integer("calls", std::ssize(of.calls)).integer("first_ns", of.first_ns);
    summary("later_ns", of.later);
    summary("interval_ns", of.interval);
  }
  void add(const analyze::LoaderWork& of) {
    json_.flag("in_step_thread", of.in_step_thread).integer("workers", of.workers);
    summary("batch_ns", of.batch);
    const auto parts = [&](std::string_view key, const analyze::LoaderWork::Parts& values) {
      json_.open_object(key);
      for (std::size_t i = 0; i < analyze::kLoaderPartCount; ++i) {
        json_.integer(std::string(name_of(static_cast<analyze::LoaderPart>(i))) + "_ns", values[i]);
      }
      json_.close_object();
    };
    parts("work", of.work_ns);
    parts("exposed", of.exposed_ns);
    json_.number("busy_share", of.busy_share);
    json_.number("busy_share_waiting", of.busy_share_waiting);
  }
  void add(const analyze::Copies& of) {
    json_.open_array("groups");
    for (const analyze::CopyGroup& group : of.groups) {
      json_.open_object();
      name("name", group.name);
      json_.flag("reads", group.reads)
          .integer("count", group.count)
          .integer("in_steps", group.in_steps);
      perhaps("bytes", group.bytes);
      json_.integer("device_ns", group.device_ns).integer("exposed_ns", group.exposed_ns);
      summary("bytes_per_ns", group.bytes_per_ns);
      json_.integer("call_ns", group.call_ns).integer("blocking", group.blocking);
      json_.integer("wait_busy_ns", group.wait_busy_ns);
      json_.integer("wait_idle_ns", group.wait_idle_ns).close_object();
    }
    json_.close_array();
  }
  void add_waits(const analyze::HostWaits& of) {
    json_.open_object("host_waits").integer("count", of.count).integer("reads", of.reads);
    json_.open_array("places");
    for (const analyze::HostWaitPlace& place : of.places) {
      json_.open_object();
      name("op", place.op);
      name("call", place.call);
      name("python", place.python);
      json_.flag("reads", place.reads).integer("count", place.count).integer("ns", place.ns);
      span("longest", place.longest);
      json_.close_object();
    }
    json_.close_array().close_object();
  }
  void add(const analyze::Kernels& of) {
    json_.integer("calls", of.calls).integer("total_ns", of.total_ns);
    perhaps("tensor_core_ns", of.tensor_core_ns);
    json_.integer("tiny", of.tiny);
    json_.integer("tiny_in_steps", of.tiny_in_steps);
    summary("duration_ns", of.duration);
    json_.open_array("rows");
    for (const analyze::KernelRow& row : of.rows) {
      json_.open_object();
      name("name", row.name);
      json_.integer("calls", row.calls).integer("total_ns", row.total_ns);
      json_.integer("min_ns", row.min_ns).integer("max_ns", row.max_ns);
      json_.integer("step_calls", row.step_calls).integer("step_ns", row.step_ns);
      perhaps("blocks_per_sm", row.blocks_per_sm);
      perhaps("occupancy_percent", row.occupancy_percent);
      perhaps("tensor_cores", row.tensor_cores);
      perhaps("communication", row.communication);
      json_.close_object();
    }
    json_.close_array();
  }
  void add(const analyze::CollectiveRow& row) { add_collective(json_, row); }
  void add(const analyze::OperatorRow& row) {
    name("name", row.name);
    json_.integer("calls", row.calls).integer("host_ns", row.host_ns);
    json_.integer("self_host_ns", row.self_host_ns).integer("device_ns", row.device_ns);
    json_.integer("self_device_ns", row.self_device_ns);
    json_.integer("launches", row.launches).flag("tensor_core_eligible", row.eligible);
  }
  void add(const analyze::RuntimeCallRow& row) {
    name("name", row.name);
    json_.flag("driver", row.driver).integer("calls", row.calls);
    json_.integer("step_calls", row.step_calls).integer("step_ns", row.step_ns);
    span("longest", row.longest);
    name("longest_op", row.longest_op);
  }
  void add(const analyze::MemoryPeak& peak) {
    json_.integer("device", peak.device).integer("allocated_bytes", peak.allocated_bytes);
    json_.integer("reserved_bytes", peak.reserved_bytes).integer("at_ns", peak.at_ns);
    perhaps("total_bytes", peak.total_bytes);
  }
  void add(const analyze::Launches& of) {
    json_.text("window", analyze::Launches::kWindow).integer("calls", of.calls);
    json_.integer("rows", of.rows);
    summary("call_ns", of.call);
    summary("delay_ns", of.delay);
    json_.integer("long_delays", of.long_delays).integer("long_calls", of.long_calls);
    json_.integer("short_kernels", of.short_kernels).integer("idle_delay_ns", of.idle_delay_ns);
  }
  void add(const analyze::LaunchQueue& queue) {
    json_.integer("device", queue.device).integer("stream", queue.stream);
    json_.number("mean_at_changes", queue.mean_at_changes).integer("max", queue.max);
    json_.number("mean", queue.mean).number("median", queue.median).number("p95", queue.p95);
    json_.integer("full_ns", queue.full_ns).number("full_share", queue.full_share);
  }
  void add(const analyze::KernelSequence& of) {
    std::vector<std::string> names;
    for (const std::uint32_t name : of.names) names.push_back(trace_.names[name].text);
    json_.texts("names", names).integer("times", of.times);
    json_.integer("kernel_ns", of.kernel_ns).integer("between_ns", of.between_ns);
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
