// SPDX-License-Identifier: Apache-2.0
// usage: print_analysis TRACE...
// Prints what our analysis finds in each trace in the terms of the judges, a line of JSON for each.
// Times are microseconds.
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/analyze/analysis.h"
#include "harness/trace/read_trace.h"

namespace stepbench {
namespace {

using Json = nlohmann::json;

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json tensorboard(const trace::Trace& trace, const analyze::Analysis& analysis) {
  if (!analysis.tensorboard) return {};
  Json out = {{"steps", Json::array()}, {"gpus", Json::array()}};
  for (const analyze::TensorboardStep& step : analysis.tensorboard->steps) {
    Json roles = Json::array();
    for (const std::int64_t ns : step.ns) roles.push_back(us(ns));
    out["steps"].push_back({{"name", std::to_string(step.number)},
                            {"roles", roles},
                            {"total", us(step.window.length_ns())}});
  }
  for (const analyze::TensorboardGpu& gpu : analysis.tensorboard->gpus) {
    out["gpus"].push_back({{"device", gpu.device},
                           {"utilization", gpu.utilization},
                           {"sm_efficiency", or_null(gpu.sm_efficiency)},
                           {"occupancy", or_null(gpu.occupancy_percent)},
                           {"tensor_cores", or_null(gpu.tensor_core_share)}});
  }
  out["eligible"] = or_null(analysis.tensorboard->eligible_share);
  if (analysis.operators) {
    for (const analyze::OperatorRow& row : *analysis.operators) {
      out["operators"][trace.names[row.name].text] = {row.calls,
                                                      us(row.host_ns),
                                                      us(row.self_host_ns),
                                                      us(row.device_ns),
                                                      us(row.self_device_ns),
                                                      us(row.tensor_core_ns),
                                                      us(row.self_tensor_core_ns)};
    }
  }
  if (analysis.kernels) {
    for (const analyze::KernelRow& row : analysis.kernels->rows) {
      out["kernels"][trace.names[row.name].text] = {row.calls,
                                                    us(row.total_ns),
                                                    us(row.max_ns),
                                                    us(row.min_ns),
                                                    row.tensor_cores,
                                                    or_null(row.blocks_per_sm),
                                                    or_null(row.occupancy_percent)};
    }
  }
  return out;
}

Json holistic(const analyze::Analysis& analysis) {
  if (!analysis.holistic) return {};
  const analyze::Holistic& found = *analysis.holistic;
  Json out;
  out["temporal"] = {{"idle_time(us)", us(found.temporal.idle_ns)},
                     {"compute_time(us)", us(found.temporal.compute_ns)},
                     {"non_compute_time(us)", us(found.temporal.non_compute_ns)},
                     {"kernel_time(us)", us(found.temporal.kernel_time_ns)}};
  for (const std::int64_t ns : found.overlaps.ns) out["overlaps"].push_back(us(ns));
  out["overlap_share"] = or_null(found.overlap_share);
  for (const analyze::HolisticStream& stream : found.streams) {
    for (const analyze::HolisticIdle idle :
         {analyze::HolisticIdle::kHostWait, analyze::HolisticIdle::kKernelWait,
          analyze::HolisticIdle::kOther}) {
      out["idle"][std::to_string(stream.stream)][std::string(analyze::name_of(idle))] =
          us(stream.idle_ns[static_cast<std::size_t>(idle)]);
    }
  }
  for (const analyze::HolisticBandwidth& row : found.bandwidth) {
    out["bandwidth"][row.kind] = {row.count, row.mean,   row.sd,  row.min,
                                  row.p25,   row.median, row.p75, row.max};
  }
  if (analysis.launches) {
    const analyze::Launches& launches = *analysis.launches;
    out["launches"] = {{"rows", launches.rows},
                       {"delay_mean", launches.delay.mean / 1000},
                       {"delay_median", launches.delay.median / 1000},
                       {"delay_max", launches.delay.max / 1000},
                       {"long_delays", launches.long_delays},
                       {"long_calls", launches.long_calls},
                       {"short_kernels", launches.short_kernels}};
  }
  if (analysis.queues) {
    for (const analyze::LaunchQueue& queue : *analysis.queues) {
      out["queues"][std::to_string(queue.stream)] = {queue.changes, queue.mean_at_changes,
                                                     queue.max};
    }
  }
  return out;
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  using namespace stepbench;
  if (argc < 2) {
    std::cerr << "usage: print_analysis TRACE...\n";
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const trace::Trace trace = trace::read_trace(argv[i]);
    const analyze::Analysis analysis = analyze::analyse(trace);
    const Json line = {{"tensorboard", tensorboard(trace, analysis)},
                       {"holistic", holistic(analysis)}};
    std::cout << line.dump() << '\n';
  }
  return 0;
}
