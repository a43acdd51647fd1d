// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/launch.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/base/not_measurable.h"
#include "harness/base/value.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/record/quality.h"
#include "harness/text/words.h"
#include "harness/worker/internal/loop.h"

namespace stepbench::worker {
namespace {

using protocol::Stage;

constexpr int kVersionWithOps = 2;

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

const WorkloadType& find_type(std::span<const WorkloadType> types, const std::string& name) {
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  if (found != types.end()) return *found;
  throw Error(
      formatted("this worker has no workload '{}'; it has: {}", name,
                text::join(types, ", ", [](const WorkloadType& type) { return type.name; })));
}

// 0: leave unchanged, if the option is "auto" or absent.
int threads_of(const ResolvedCase& resolved, std::string_view option) {
  return static_cast<int>(number_of(resolved.options, option).value_or(0));
}

// Tracks the stage of a launch, to name it in a failure.
class Stages {
 public:
  explicit Stages(const SendMessage& send) : send_(send) {}
  void enter(Stage stage) {
    if (entered_ && stage == stage_) return;
    send_stage({stage});
  }
  // Without asynchronous device work, a warm-up reports once a second: silence longer than one step
  // then means a hang.
  void enter(const LoopStage& news, std::int64_t now_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Stage stage = news.active ? Stage::kActive : Stage::kWarmup;
    const bool repeats =
        news.host_only && news.step_ns > 0 && (!repeated_ || now_ns - last_progress_ns_ >= kSecond);
    if (stage == stage_ && !repeats) return;
    repeated_ = repeated_ || stage == stage_;
    last_progress_ns_ = now_ns;
    send_stage({stage, news.steps, news.step_ns, device_pci_});
  }
  void device_is(std::string pci) { device_pci_ = std::move(pci); }
  [[nodiscard]] Stage current() const { return stage_; }

 private:
  void send_stage(const protocol::StageMessage& message) {
    stage_ = message.stage;
    entered_ = true;
    send_(message);
  }

  const SendMessage& send_;
  Stage stage_ = Stage::kSetUp;
  std::string device_pci_;
  bool entered_ = false;
  bool repeated_ = false;
  std::int64_t last_progress_ns_ = 0;
};

class Launch {
 public:
  Launch(const protocol::CaseMessage& message, const WorkerParts& parts, const Clock& clock,
         std::int64_t began_ns, const SendMessage& send)
      : resolved_(message.resolved),
        pass_(message.pass),
        version_(protocol::agree(protocol::kSupported, message.protocol)),
        parts_(parts),
        clock_(clock),
        began_ns_(began_ns),
        send_(send),
        stages_(send),
        context_{clock,
                 message.run_dir,
                 message.shared_memory_prefix,
                 message.rank,
                 message.world,
                 {},
                 message.launch,
                 phase_names(parts.catalogue, message.resolved.workload),
                 parts.facts.python,
                 is_profiling(message.pass),
                 parts.facts.variables} {}

  void run() {
    guarded([&] { set_up(); });
    if (!error_ && !skip_) guarded([&] { measure(); });
    for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
      send_samples(static_cast<std::int64_t>(cycle), cycles_[cycle], send_);
    }
    guarded([&] { tear_down(); });
    if (error_) {
      send_(protocol::FailedMessage{message_of(error_), failed_in_});
    } else if (skip_) {
      send_(protocol::SkippedMessage{*skip_});
    } else {
      evidence_.life_cycle = context_.life_cycle;
      if (version_ >= kVersionWithOps) {
        for (ops::OpFrame& frame : evidence_.ops) send_(std::move(frame));
      }
      send_(make_report(evidence_, cycles_));
    }
  }

 private:
  // Keeps the first exception, the cause; later ones are its consequences.
  template <typename Part>
  void guarded(const Part& part) {
    try {
      part();
    } catch (const NotMeasurable& reason) {
      if (!error_ && !skip_) skip_ = reason.what();
    } catch (...) {
      if (error_) return;
      error_ = std::current_exception();
      failed_in_ = stages_.current();
    }
  }

  void set_up() {
    stages_.enter(Stage::kSetUp);
    const std::int64_t from_ns = clock_.now_ns();
    if (parts_.facts.place_rank != nullptr && context_.world > 1) {
      parts_.facts.place_rank(resolved_, context_);
    }
    const WorkloadType& type = find_type(parts_.workloads, resolved_.workload);
    if (parts_.facts.set_threads != nullptr) {
      parts_.facts.set_threads(threads_of(resolved_, "threads.intra_op"),
                               threads_of(resolved_, "threads.inter_op"));
    }
    workload_ = type.make(resolved_, context_);
    skip_ = workload_->set_up();
    evidence_.set_up_ns = clock_.now_ns() - from_ns;
  }

  void measure() {
    stages_.enter(Stage::kExercise);
    InstrumentSet instruments =
        make_instruments(parts_.instruments, resolved_, context_, evidence_, pass_);
    for (const Instrument* instrument : instruments.all()) {
      if (std::string pci = instrument->device_pci(); !pci.empty()) {
        stages_.device_is(std::move(pci));
      }
    }
    evidence_.options = loop_options(resolved_, began_ns_, pass_);
    evidence_.options.epoch_steps.only_whole = workload_->borders_inside_epochs();
    fit_to_epochs(workload_->steps_per_epoch(), evidence_.options, pass_);
    Loop loop(evidence_.options, clock_, *workload_, instruments,
              phase_names(parts_.catalogue, resolved_.workload));
    loop.exercise();
    evidence_.loop =
        loop.run([&](const LoopStage& stage) { stages_.enter(stage, clock_.now_ns()); },
                 [&](const Series& cycle) {
                   send_(cycle_message(static_cast<std::int64_t>(cycles_.size()), cycle));
                   cycles_.push_back(cycle);
                 });
    collect(*workload_, instruments, evidence_);
  }

  void tear_down() {
    stages_.enter(Stage::kTearDown);
    if (workload_ == nullptr) return;
    const std::int64_t from_ns = clock_.now_ns();
    workload_->tear_down();
    evidence_.tear_down_ns = clock_.now_ns() - from_ns;
  }

  ResolvedCase resolved_;
  Pass pass_;
  int version_;
  const WorkerParts& parts_;
  const Clock& clock_;
  std::int64_t began_ns_;
  const SendMessage& send_;
  Stages stages_;
  WorkerContext context_;
  std::unique_ptr<Workload> workload_;
  std::optional<std::string> skip_;
  std::exception_ptr error_;
  Stage failed_in_ = Stage::kSetUp;
  LaunchEvidence evidence_;
  std::vector<Series> cycles_;
};

}  // namespace

void run_case(const protocol::CaseMessage& message, const WorkerParts& parts, const Clock& clock,
              std::int64_t began_ns, const SendMessage& send) {
  Launch(message, parts, clock, began_ns, send).run();
}

namespace {

Value finite_or_null(double number) { return std::isfinite(number) ? Value(number) : Value(); }

class Collector final : public ReportSink {
 public:
  explicit Collector(LaunchEvidence& evidence) : evidence_(evidence), report_(evidence.report) {}
  void metric(std::string_view name, double value) override {
    report_.metrics.insert_or_assign(
        std::string(name), std::isfinite(value) ? std::optional<double>(value) : std::nullopt);
  }
  void effective(std::string_view option, Value value) override {
    report_.effective.insert_or_assign(std::string(option), std::move(value));
  }
  void note(std::string text) override { report_.notes.push_back(std::move(text)); }
  // Instruments know more than the workload: their findings replace the workload's.
  void instruments_follow() { of_workload_ = report_.findings.all().size(); }
  void finding(Finding finding) override {
    std::vector<Finding>& all = report_.findings.all();
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(of_workload_);
    const auto same =
        std::find_if(all.begin(), end, [&](const Finding& each) { return each.id == finding.id; });
    if (same == end) {
      all.push_back(std::move(finding));
    } else {
      *same = std::move(finding);
    }
  }
  void ops(const ops::OpTable& table) override {
    for (ops::OpFrame& frame : ops::frames_of(table)) evidence_.ops.push_back(std::move(frame));
    if (table.dropped == 0) return;
    report_.flags.emplace_back(launch_flag::kOpsIncomplete);
    report_.notes.push_back(
        formatted("the table of operations is incomplete: {} records were lost", table.dropped));
  }

 private:
  LaunchEvidence& evidence_;
  record::LaunchReport& report_;
  std::size_t of_workload_ = 0;
};

}  // namespace

InstrumentSet make_instruments(std::span<const InstrumentType> types, const ResolvedCase& resolved,
                               WorkerContext& context, LaunchEvidence& evidence, Pass pass) {
  std::vector<std::unique_ptr<Instrument>> made;
  for (const InstrumentType& type : types) {
    if (!type.passes.contains(pass)) continue;
    std::unique_ptr<Instrument> instrument = type.make(resolved, context);
    if (instrument == nullptr) continue;
    if (const auto reason = instrument->exercise()) {
      evidence.report.notes.push_back(std::string(instrument->name()) + ": " + *reason);
      continue;
    }
    made.push_back(std::move(instrument));
  }
  return InstrumentSet(std::move(made));
}

void collect(Workload& workload, const InstrumentSet& instruments, LaunchEvidence& evidence) {
  Collector sink(evidence);
  const Fingerprint fingerprint = workload.fingerprint();
  const auto fingerprint_of = [&](const char* name, std::optional<double> computed) {
    if (computed) evidence.report.fingerprint[name] = finite_or_null(*computed);
  };
  fingerprint_of("loss", fingerprint.loss);
  fingerprint_of("gradient_norm", fingerprint.gradient_norm);
  workload.report(sink);
  sink.instruments_follow();
  for (const Instrument* instrument : instruments.all()) instrument->report(sink);
}

record::LaunchReport make_report(const LaunchEvidence& evidence, std::span<const Series> cycles) {
  record::LaunchReport report = evidence.report;
  const LoopResult& loop = evidence.loop;
  report.schedule["stop_reason"] = std::string(name_of(loop.reason));
  report.schedule["cycles"] = loop.cycles;
  report.schedule["active"] = loop.active_steps;
  report.schedule["warmup"] = evidence.options.schedule.warmup;
  report.schedule["steps"] = loop.all_steps;
  report.schedule["window_drained_ns"] = loop.window_drained_ns;
  report.schedule["epochs"] = evidence.options.epochs;
  if (evidence.options.epochs > 0) {
    report.effective[evidence.options.stop.automatic ? "schedule.window" : "schedule.active"] =
        evidence.options.schedule.active;
  }
  if (const schedule::EpochSteps& steps = evidence.options.epoch_steps; steps.per_epoch > 0) {
    report.notes.push_back(
        formatted("the window lies inside one epoch: what a border costs is not in these numbers; "
                  "schedule.active: {} holds a whole epoch",
                  steps.per_epoch));
  }
  if (loop.within_launch) {
    report.schedule["within_launch_low_ns"] = loop.within_launch->low;
    report.schedule["within_launch_high_ns"] = loop.within_launch->high;
  }
  record::put_warmup(record::judge_windows(cycles, evidence.options.block_steps), report);
  const auto metric = [&](const char* name, std::int64_t value) {
    report.metrics[name] = static_cast<double>(value);
  };
  metric("set_up_ns", evidence.set_up_ns);
  metric("tear_down_ns", evidence.tear_down_ns);
  const auto if_known = [&](const char* name, std::int64_t value) {
    if (value > 0) metric(name, value);
  };
  if_known("first_batch_ns", evidence.life_cycle.first_batch_ns);
  if_known("loader_construct_ns", evidence.life_cycle.loader_construct_ns);
  if_known("loader_tear_down_ns", evidence.life_cycle.loader_tear_down_ns);
  metric("peak_rss_bytes", os::peak_rss_bytes());
  if (loop.held_growth_bytes) metric("held_growth_bytes", *loop.held_growth_bytes);
  metric("cpu_user_ns", loop.usage.user_ns);
  metric("cpu_system_ns", loop.usage.system_ns);
  metric("minor_faults", loop.usage.minor_faults);
  metric("major_faults", loop.usage.major_faults);
  metric("voluntary_switches", loop.usage.voluntary_switches);
  metric("involuntary_switches", loop.usage.involuntary_switches);
  if (loop.truncated) report.flags.emplace_back(launch_flag::kTruncated);
  if (loop.clock_ties > 0) report.flags.emplace_back(launch_flag::kClockTies);
  return report;
}

protocol::CycleMessage cycle_message(std::int64_t cycle, const Series& columns) {
  const std::vector<std::int64_t>& step_ns = columns.column("step_ns");
  const auto steps = static_cast<std::int64_t>(step_ns.size());
  const std::int64_t sum = std::accumulate(step_ns.begin(), step_ns.end(), std::int64_t{0});
  return {cycle, steps, (sum + steps / 2) / steps};
}

void send_samples(std::int64_t cycle, const Series& columns, const SendMessage& send) {
  const std::size_t steps = columns.steps();
  for (std::size_t first = 0; first < steps; first += record::kMaxStepsPerSamplesRow) {
    const std::size_t last = std::min(steps, first + record::kMaxStepsPerSamplesRow);
    record::CycleSamples part{cycle, {.names = columns.names}};
    for (const std::vector<std::int64_t>& column : columns.columns) {
      part.steps.columns.emplace_back(column.begin() + static_cast<std::ptrdiff_t>(first),
                                      column.begin() + static_cast<std::ptrdiff_t>(last));
    }
    send(std::move(part));
  }
}

}  // namespace stepbench::worker
