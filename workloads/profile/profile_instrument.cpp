// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/profile_instrument.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "harness/cuda/device_activity.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/record/rows.h"
#include "harness/schedule/schedule.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace.h"
#include "harness/traces/trace_files.h"
#include "harness/workload.h"
#include "workloads/profile/internal/kineto_collector.h"
#include "workloads/profile/internal/native_collector.h"
#include "workloads/profile/internal/profile_spans.h"
#include "workloads/profile/internal/tick_clock.h"

namespace stepbench::profile {

// Findings of `stepbench analyze` on a launch's profiled steps, made by the launch itself. Pure;
// any thread.

// Reports causes of lost time as findings, and on a device the parts of a step as metrics
// (idle_data_ns, ...). Excludes those that the loader's own findings describe better, with the
// state of its workers.
void report_causes(const traces::Trace& trace, const ResolvedCase& resolved, ReportSink& sink);

namespace {

// Excluded: data findings, which the loader makes; and findings on the recording, as the profiler
// runs only for these steps.
constexpr std::array<std::string_view, 4> kReportedElsewhere = {
    "trace.data_exposed", "trace.slow_first_batch", "trace.loader_workers", "trace.edge_step_bias"};

bool is_reported_elsewhere(const Finding& finding) {
  return std::find(kReportedElsewhere.begin(), kReportedElsewhere.end(), finding.id) !=
         kReportedElsewhere.end();
}

void report_parts(const traces::IdleReport& idle, double steps, ReportSink& sink) {
  const traces::StepTime& counted = idle.counted;
  const std::array<std::pair<std::string_view, std::int64_t>, 12> kParts = {{
      {"compute_ns", counted.compute_ns},
      {"comm_exposed_ns", counted.communication_ns},
      {"copy_exposed_ns", counted.copy_ns},
      {"idle_data_ns", counted.of(traces::IdleCause::kDataLoading)},
      {"idle_sync_ns", counted.of(traces::IdleCause::kSynchronise)},
      {"idle_copy_call_ns", counted.of(traces::IdleCause::kCopyCall)},
      {"idle_launch_ns", counted.of(traces::IdleCause::kLaunch)},
      {"idle_backward_ns", counted.of(traces::IdleCause::kBackward)},
      {"idle_host_op_ns", counted.of(traces::IdleCause::kHostOp)},
      {"idle_other_thread_ns", counted.of(traces::IdleCause::kOtherThread)},
      {"idle_unattributed_ns", counted.of(traces::IdleCause::kUnattributed)},
      {"data_hidden_ns", counted.data_hidden_ns},
  }};
  for (const auto& [name, ns] : kParts) sink.metric(name, static_cast<double>(ns) / steps);
}

}  // namespace

void report_causes(const traces::Trace& trace, const ResolvedCase& resolved, ReportSink& sink) {
  const traces::Analysis analysis = traces::analyse(trace);
  if (analysis.blocked()) return;
  traces::RuleOptions options;
  for (const auto& [name, value] : resolved.options) options.options.emplace(name, value);
  for (Finding& finding : traces::find_causes(trace, analysis, options)) {
    if (finding.undecided.empty() && !is_reported_elsewhere(finding))
      sink.finding(std::move(finding));
  }
  const traces::IdleReport* idle = analysis.idle_of(std::nullopt);
  if (idle == nullptr || idle->scope == traces::IdleScope::kHost) return;
  report_parts(
      *idle, static_cast<double>(std::max<std::size_t>(1, analysis.steps.counted().size())), sink);
}

namespace {

OpCollectorOptions collector_options(const ResolvedCase& resolved) {
  return {.shapes = resolved.flag_or("profile.shapes", true),
          .memory = resolved.flag_or("profile.memory", true),
          .modules = resolved.flag_or("profile.modules", true),
          .cuda = resolved.text_or("device", "").starts_with("cuda")};
}

std::string phase_name(const std::vector<std::string>& names, PhaseId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < names.size() ? names[index] : "phase " + std::to_string(index);
}

// Destination of a launch's Chrome trace.
struct TraceTarget {
  std::filesystem::path folder;
  std::string worker;  // identifies launch and rank
  bool gzip = true;
  int rank = 0;
  int world = 1;
  std::string backend = {};
  std::string case_id = {};
  int launch = 0;
};

std::optional<TraceTarget> trace_target(std::string_view engine, const ResolvedCase& resolved,
                                        const WorkerContext& context) {
  const Value* asked = resolved.options.get("profile.trace");
  const bool is_asked = asked != nullptr && !is_null(*asked) && *asked != Value(false);
  // With several ranks stepbench compares the traces and removes those that were not requested.
  if (!is_asked && context.world == 1) return std::nullopt;
  return TraceTarget{.folder = context.run_dir / "traces",
                     .worker = resolved.case_id + "-" + std::string(engine) + "-" +
                               std::to_string(context.launch) + "-" + std::to_string(context.rank),
                     .gzip = !is_asked || *asked != Value(std::string("json")),
                     .rank = context.rank,
                     .world = context.world,
                     .backend = context.backend,
                     .case_id = resolved.case_id,
                     .launch = context.launch};
}

// Devices with work in the log.
std::vector<ops::TraceDevice> devices_of(const ops::OpLog& log) {
  std::set<int> ordinals;
  for (const ops::DeviceActivity& activity : log.activities) {
    if (ops::is_device_work(activity)) ordinals.insert(activity.device);
  }
  if (ordinals.empty()) return {};
  const auto loaded = cuda::load_cuda_api();
  const auto* api = std::get_if<cuda::CudaApi>(&loaded);
  std::vector<ops::TraceDevice> devices;
  for (const int ordinal : ordinals) {
    if (api == nullptr || !cuda::device_missing(*api, ordinal).empty()) continue;
    devices.push_back(cuda::device_properties(*api, ordinal));
  }
  return devices;
}

class ProfileInstrument final : public Instrument {
 public:
  using MakeCollector = std::function<std::unique_ptr<OpCollector>()>;

  ProfileInstrument(std::string_view engine, const ResolvedCase& resolved,
                    const WorkerContext& context, MakeCollector make)
      : engine_(engine),
        resolved_(resolved),
        options_(collector_options(resolved)),
        trace_(trace_target(engine, resolved, context)),
        replays_graph_(options_.cuda && resolved.flag_or("model.cuda_graph", false)),
        phase_names_(context.phase_names),
        active_(resolved.integer_or("profile.active", 1)),
        make_(std::move(make)) {}

  std::string_view name() const override { return engine_; }

  // Probes on the host only: after an empty session of the device tracer, the next one may record
  // no kernels.
  std::optional<std::string> exercise() override {
    try {
      if (!options_.cuda) return probe(*make_());
      NativeCollector host({.shapes = false, .memory = false, .modules = false});
      return probe(host);
    } catch (const Error& error) {
      return error.what();
    }
  }

  void change(Action from, Action to) override {
    if (schedule::is_active(from) && !schedule::is_active(to)) end_window();
    if (to == Action::kWarmup) start();
    if (schedule::is_active(to) && !schedule::is_active(from)) begin_window();
  }

  void step_begin(std::int64_t index) override {
    if (recording_)
      marks_.step_begin(index, collector_->now());
    else
      ++warm_steps_;
  }
  void step_end() noexcept override {
    if (recording_) marks_.step_end(collector_->now());
  }
  void phase_begin(PhaseId id, DeviceStream) override {
    if (recording_) marks_.phase_begin(id, collector_->now());
  }
  void phase_end(PhaseId, DeviceStream) noexcept override {
    if (recording_) marks_.phase_end(collector_->now());
  }

  void add_columns(Series& cycle) override {
    if (!recording_ || cycle.steps() == 0) return;
    marks_.measured(cycle.column("index").front(), cycle.column("step_ns"));
  }

  void report(ReportSink& sink) const override {
    sink.effective("profile.ops", std::string(engine_));
    const traces::Trace trace = traces::trace_of(log_, trace_header());
    const ops::OpTable table = traces::op_table_of(trace);
    sink.ops(table);
    for (Finding& finding : traces::memory_findings(trace, table)) {
      sink.finding(std::move(finding));
    }
    stepbench::cuda::report(cuda::summarise_activities(log_), sink);
    if (!log_.marks.empty()) report_causes(trace, resolved_, sink);
    if (trace_) save_trace(trace, sink);
    if (incomplete_) sink.note("profiled operations: " + *incomplete_);
    if (replays_graph_) {
      sink.note(
          "the step is a CUDA graph that was captured before the device's tracer began: CUPTI "
          "before CUDA 13.1 update 1 may give its kernels wrong durations");
    }
    if (log_.dropped > 0) {
      sink.note(std::to_string(log_.dropped) +
                " profiled operations had not ended when the last step did; the table lacks them");
    }
  }

 private:
  void start() {
    if (collector_ != nullptr) return;
    collector_ = make_();
    collector_->start();
    warm_steps_ = 0;
  }

  void begin_window() {
    start();
    constexpr std::size_t kMarksPerStep = 64;
    marks_.clear();
    marks_.reserve(static_cast<std::size_t>(active_) * kMarksPerStep);
    const auto warm = static_cast<double>(std::max<std::int64_t>(warm_steps_, 1));
    constexpr double kSpare = 1.1;
    collector_->begin_window(kSpare * static_cast<double>(active_) / warm);
    spans_.clear();
    spans_.listen(true);
    recording_ = true;
  }

  void end_window() {
    recording_ = false;
    spans_.listen(false);
    collector_->end_window();
    log_ = collector_->take();
    incomplete_ = collector_->incomplete();
    marks_.add_to(
        log_, [&](std::uint64_t stamp) { return collector_->ns_of(stamp); },
        [&](PhaseId id) { return phase_name(phase_names_, id); });
    unix_offset_ns_ = collector_->unix_offset_ns();
    const std::int64_t host_offset_ns =
        unix_now_ns() - static_cast<std::int64_t>(monotonic_ns()) - unix_offset_ns_;
    if (!log_.marks.empty()) spans_.add_to(log_, log_.marks.front().start_ns, host_offset_ns);
    collector_.reset();
  }

  traces::TraceHeader trace_header() const {
    traces::TraceHeader header{.engine = std::string(engine_),
                               .unix_offset_ns = unix_offset_ns_,
                               .shapes = options_.shapes,
                               .memory = options_.memory,
                               .devices = devices_of(log_)};
    if (!trace_) return header;
    header.rank = trace_->rank;
    header.world = trace_->world;
    header.backend = trace_->backend;
    header.own = {{"case_id", trace_->case_id},
                  {"launch", std::to_string(trace_->launch)},
                  {"pass", std::string(engine_)},
                  {"stepbench_version", STEPBENCH_VERSION}};
    return header;
  }

  void save_trace(const traces::Trace& trace, ReportSink& sink) const {
    std::filesystem::create_directories(trace_->folder);
    const std::filesystem::path file =
        trace_->folder /
        traces::trace_file_name(trace_->worker, unix_now_ns() / 1'000'000, trace_->gzip);
    traces::write_trace(trace, file);
    sink.effective("profile.trace", (file.parent_path().filename() / file.filename()).string());
  }

  std::string_view engine_;
  ResolvedCase resolved_;
  OpCollectorOptions options_;
  std::optional<TraceTarget> trace_;
  std::int64_t unix_offset_ns_ = 0;
  bool replays_graph_;
  std::vector<std::string> phase_names_;
  std::int64_t active_;
  MakeCollector make_;
  std::unique_ptr<OpCollector> collector_;
  StepMarks marks_;
  WorkerSpans spans_;
  std::int64_t warm_steps_ = 0;
  bool recording_ = false;
  ops::OpLog log_;  // last window
  std::optional<std::string> incomplete_;
};

std::unique_ptr<Instrument> make_native(const ResolvedCase& resolved, WorkerContext& context) {
  const OpCollectorOptions options = collector_options(resolved);
  const auto device = cuda::cuda_ordinal(resolved.text_or("device", ""));
  const auto make = [options, device]() -> std::unique_ptr<OpCollector> {
    if (!device) return std::make_unique<NativeCollector>(options);
    return std::make_unique<DeviceTracing>(options, cuda::make_activity_collector(*device));
  };
  return std::make_unique<ProfileInstrument>("native", resolved, context, make);
}

std::unique_ptr<Instrument> make_kineto(const ResolvedCase& resolved, WorkerContext& context) {
  const OpCollectorOptions options = collector_options(resolved);
  return std::make_unique<ProfileInstrument>("kineto", resolved, context, [options] {
    return std::make_unique<KinetoCollector>(options);
  });
}

}  // namespace

InstrumentType native_profile_type() {
  return {.name = "native", .passes = {Pass::kNative}, .make = make_native};
}

InstrumentType kineto_profile_type() {
  return {.name = "kineto", .passes = {Pass::kKineto}, .make = make_kineto};
}

}  // namespace stepbench::profile
