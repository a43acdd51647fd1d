// SPDX-License-Identifier: Apache-2.0
// Rows of columns.h: metrics only of steps and launches, and waiting times of requests.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/estimate/internal/request_times.h"
#include "harness/estimate/launch_values.h"

namespace stepbench::estimate {
namespace {

Metric context(std::string name, std::string unit, std::string doc) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .role = Role::kContext,
          .direction = Direction::kNeither,
          .doc = std::move(doc)};
}

Metric lower(std::string name, std::string unit, std::string doc) {
  return {.name = std::move(name), .unit = std::move(unit), .doc = std::move(doc)};
}

// Marks a metric that is identical in every run of the same program.
Metric exact(Metric metric) {
  metric.exact = true;
  return metric;
}

Metric part_of_step(Metric metric) {
  metric.phase = true;
  return metric;
}

std::vector<Metric> host_phases() {
  std::vector<Metric> metrics;
  for (const Phase& phase : built_in_phases()) {
    metrics.push_back(part_of_step(lower(phase.name + "_ns", "ns", phase.doc)));
  }
  return metrics;
}

std::vector<Metric> device_phases() {
  std::vector<Metric> metrics;
  for (const Phase& phase : built_in_phases()) {
    if (phase.name == "other") continue;
    metrics.push_back(part_of_step(
        lower(phase.name + "_device_ns", "ns", "On the stream that computes: " + phase.doc)));
    metrics.push_back(part_of_step(
        lower(phase.name + "_side_device_ns", "ns", "On other streams: " + phase.doc)));
  }
  return metrics;
}

std::vector<EstimateColumn> make_launch_metrics() {
  std::vector<EstimateColumn> rows;
  const auto add = [&](Source source, std::vector<Metric> read, LaunchValue of_launch = nullptr) {
    for (Metric& metric : read_from(source, std::move(read))) {
      rows.push_back({.metric = std::move(metric), .of_launch = of_launch});
    }
  };
  add(Source::kCounted, {context("index", "steps", "Steps since set-up, warm-up included.")});
  add(Source::kHostClock, host_phases());
  add(Source::kCudaEvents, device_phases());
  add(Source::kCudaEvents,
      {lower("period_device_ns", "ns",
             "From the end of the step before to the step's end, on the stream that computes."),
       part_of_step(
           lower("other_device_ns", "ns",
                 "Part of period_device_ns outside every phase on the stream that computes.")),
       lower("step_device_ns", "ns",
             "From the step's first to its last moment on the stream that computes."),
       lower("idle_device_ns", "ns",
             "Part of step_device_ns outside every phase that launches work."),
       {.name = "overlap_device_ns",
        .unit = "ns",
        .direction = Direction::kHigherIsBetter,
        .doc = "Part of phases on side streams at the same time as phases of the window's steps on "
               "the stream that computes."}});
  add(Source::kEventsAndHost,
      {context("host_lead_ns", "ns",
               "How long after the host the device ends the step; near 0 the host holds the device "
               "up."),
       context("event_clock_error_ns", "ns",
               "The clocks of host and device were set against each other within this.")});
  add(Source::kCupti,
      {lower("device_busy_ns", "ns",
             "Profiled: time per step in which anything ran on the device."),
       lower("device_idle_ns", "ns", "Profiled: time per step in which nothing ran on the device."),
       exact(context("kernels", "", "Profiled: kernels that ran, per step.")),
       exact(context("launches", "", "Profiled: calls that started kernels or graphs, per step.")),
       exact(context("copies", "", "Profiled: copies to, from and on the device, per step.")),
       exact(context("copied_bytes", "bytes", "Profiled: bytes of these copies, per step.")),
       exact(context("pageable_copies", "",
                     "Profiled: copies between the device and pageable host memory, per step.")),
       exact(lower(
           "synchronisations", "",
           "Profiled: times per step that the host waited for an event, a stream or the device.")),
       lower("synchronisation_ns", "ns", "Profiled: time per step of these waits."),
       context("compute_ns", "ns",
               "Profiled: part of a step in which a kernel computed. With the two that follow and "
               "the idle parts it sums to the step."),
       context("comm_exposed_ns", "ns",
               "Profiled: part in which kernels communicated and none computed."),
       context("copy_exposed_ns", "ns", "Profiled: part in which copies ran and no kernel did."),
       context("idle_data_ns", "ns", "Profiled: the device idle while the step loads data."),
       context("idle_sync_ns", "ns",
               "Profiled: idle while the step waits in a synchronising call."),
       context("idle_copy_call_ns", "ns",
               "Profiled: idle while the step is in a call that copies."),
       context("idle_launch_ns", "ns",
               "Profiled: idle while the step is in another call of the runtime."),
       context("idle_backward_ns", "ns", "Profiled: idle while autograd runs, on any thread."),
       context("idle_host_op_ns", "ns", "Profiled: idle while the step is in an operator."),
       context("idle_other_thread_ns", "ns", "Profiled: idle while another thread is in one."),
       context("idle_unattributed_ns", "ns", "Profiled: idle while nothing was recorded."),
       context("data_hidden_ns", "ns",
               "Profiled: time per step of loading data while the device worked.")});
  add(Source::kCounted,
      {context("event_ring_grown", "", "Events that had to be made inside measured windows."),
       context("event_ring_lagging", "",
               "Times the device lagged a whole ring of events behind the host."),
       context("samples", "samples", "Samples that the step consumed."),
       context("tokens", "tokens",
               "Tokens that the step consumed, or with workload: generate made."),
       context("bytes", "bytes", "Bytes of input that the step consumed."),
       context("flags", "",
               "What is special about a step: first of an epoch, partial batch, throttled.")});
  add(Source::kHostClock,
      {lower("epoch_wait_ns", "ns", "Part of data_wait_ns spent on batches that start an epoch."),
       lower("request_latency_ns", "ns",
             "From a request to the end of its answer, the device's work in it, without the wait "
             "for its data."),
       lower(
           "time_to_first_token_ns", "ns",
           "From a request to the first token of its answer on the host, without the wait for its "
           "data."),
       lower("time_per_output_token_ns", "ns",
             "From the first to the last token of an answer, over the tokens after the first.")});
  add(Source::kHostClock,
      {lower("step_iqr_ns", "ns", "Distance between the quartiles of the step time.")},
      [](const ClockedLaunch& of) { return of.estimate.quantiles.iqr_ns; });
  add(Source::kHostClock,
      {lower("set_up_ns", "ns", "Making the workload and setting it up."),
       lower("first_batch_ns", "ns", "From the start of the first epoch to its first batch."),
       lower("tear_down_ns", "ns", "Tearing the workload down."),
       lower("loader_construct_ns", "ns", "Building the data loader; part of set-up."),
       lower("loader_tear_down_ns", "ns", "Stopping the data loader; part of tear-down."),
       context("profile_overhead", "",
               "Step of the profiled launch over that of the timing launches."),
       context("rank_wait_ns", "ns",
               "Profiled: time per step that the rank waits in collectives for the last one to "
               "enter, and computes nothing."),
       context("own_work_ns", "ns", "Profiled: the rest of the rank's step.")});
  add(Source::kSystem,
      {lower("peak_rss_bytes", "bytes", "Largest resident set of the process that trains."),
       lower(record::kJobPeak.data(), "bytes",
             "Most memory that the job's processes held from the end of set-up to the last window, "
             "each page divided among those that map it.")});
  // These are sums over the windows; launches may differ in their number of measured steps.
  add(Source::kSystem,
      {lower("cpu_user_ns", "ns",
             "User CPU time of the worker process in the measured windows; tested per step.")},
      [](const ClockedLaunch& of) { return reported_per_step(of, "cpu_user_ns"); });
  add(Source::kSystem,
      {lower("cpu_system_ns", "ns",
             "System CPU time of the worker process in the measured windows; tested per step.")},
      [](const ClockedLaunch& of) { return reported_per_step(of, "cpu_system_ns"); });
  add(Source::kSystem,
      {context("held_growth_bytes", "bytes",
               "Growth, over the measured windows, of the memory that the worker process holds; "
               "without what its heap keeps free."),
       context("minor_faults", "faults", "Page faults served from memory in the measured windows."),
       context("major_faults", "faults", "Page faults served from disk in the measured windows."),
       context("voluntary_switches", "switches", "Times that the worker gave up a CPU to wait."),
       context("involuntary_switches", "switches", "Times that the worker was taken off a CPU.")});
  add(Source::kNvml,
      {lower("energy_per_step_j", "J", "Energy that the whole device used, per step."),
       lower("energy_per_sample_j", "J", "The same per sample that the steps consumed."),
       context("gpu_power_capped_ns", "ns",
               "Time per step in which the power limit held the device's clocks down."),
       context("gpu_sync_boost_ns", "ns",
               "Time per step in which the slowest device of a sync boost group did."),
       lower("gpu_software_thermal_ns", "ns",
             "Time per step in which the driver did, because of the temperature."),
       lower("gpu_hardware_thermal_ns", "ns",
             "Time per step in which the device itself halved them or more, too hot."),
       lower("gpu_power_brake_ns", "ns",
             "Time per step in which the power supply outside it made it do so.")});
  add(Source::kInstructions,
      {context("instructions_per_step", "instructions",
               "Instructions of the worker process in user mode, per measured step.")});
  return rows;
}

}  // namespace

std::span<const EstimateColumn> launch_metrics() {
  static const std::vector<EstimateColumn> metrics = make_launch_metrics();
  return metrics;
}

namespace {

const RequestTimes* times_of(const CaseRow& row, std::string_view wait) {
  const auto found =
      std::find_if(row.requests.begin(), row.requests.end(),
                   [&](const RequestTimes& times) { return times.kind.column == wait; });
  return found == row.requests.end() ? nullptr : &*found;
}

CaseValue request_number(std::string_view wait, std::size_t quantile,
                         std::optional<double> RequestQuantile::*part) {
  return [=](const CaseRow& row) {
    const RequestTimes* times = times_of(row, wait);
    const auto ns = times == nullptr ? std::nullopt : times->quantiles[quantile].*part;
    return ns ? Value(*ns) : Value();
  };
}

// Adds "time_to_first_token_p99_ns" and the ends of its interval. If there are too few requests for
// the quantile, only the lower end has a value.
void add_quantile(const WaitKind& kind, std::size_t quantile,
                  std::vector<EstimateColumn>& columns) {
  constexpr std::string_view kNs = "_ns";
  const std::string name = std::string(kind.column.substr(0, kind.column.size() - kNs.size())) +
                           '_' + std::string(kRequestQuantiles[quantile].suffix);
  const auto add = [&](const char* ending, std::optional<double> RequestQuantile::*part) {
    columns.push_back({.metric = {.name = name + ending},
                       .get = request_number(kind.column, quantile, part),
                       .shown_for = [kind](const CaseRow& row) {
                         return times_of(row, kind.column) != nullptr;
                       }});
  };
  add("_ns", &RequestQuantile::ns);
  columns.back().at_least = request_number(kind.column, quantile, &RequestQuantile::low_ns);
  add("_low_ns", &RequestQuantile::low_ns);
  add("_high_ns", &RequestQuantile::high_ns);
}

struct ShownColumn {
  std::string_view name, header;
  int drop_at;
};
constexpr ShownColumn kShown[] = {
    {"request_latency_p99_ns", "p99", 84},
    {"request_latency_p999_ns", "p99.9", 45},
    {"time_to_first_token_p50_ns", "first token p50", 82},
    {"time_to_first_token_p99_ns", "first token p99", 44},
    {"time_per_output_token_p50_ns", "per token p50", 80},
};

std::vector<EstimateColumn> make_request_columns() {
  std::vector<EstimateColumn> columns;
  for (const WaitKind& kind : kWaitKinds) {
    for (std::size_t i = 0; i < kRequestQuantiles.size(); ++i) add_quantile(kind, i, columns);
  }
  for (EstimateColumn& column : columns) {
    for (const ShownColumn& shown : kShown) {
      if (shown.name != column.metric.name) continue;
      column.header = shown.header;
      column.drop_at = shown.drop_at;
    }
  }
  return columns;
}

}  // namespace

std::span<const EstimateColumn> request_columns() {
  static const std::vector<EstimateColumn> columns = make_request_columns();
  return columns;
}

}  // namespace stepbench::estimate
