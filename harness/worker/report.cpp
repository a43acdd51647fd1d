// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/base/launch_flags.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/record/warmup.h"

namespace stepbench::worker {
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
    report_.notes.push_back("the table of operations is incomplete: " +
                            std::to_string(table.dropped) + " records were lost");
  }

 private:
  LaunchEvidence& evidence_;
  record::LaunchReport& report_;
  std::size_t of_workload_ = 0;
};

}  // namespace

measure::InstrumentSet make_instruments(std::span<const InstrumentType> types,
                                        const ResolvedCase& resolved, WorkerContext& context,
                                        LaunchEvidence& evidence, Pass pass) {
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
  return measure::InstrumentSet(std::move(made));
}

void collect(Workload& workload, const measure::InstrumentSet& instruments,
             LaunchEvidence& evidence) {
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
        "the window lies inside one epoch: what a border costs is not in these numbers; "
        "schedule.active: " +
        std::to_string(steps.per_epoch) + " holds a whole epoch");
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
