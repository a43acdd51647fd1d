// SPDX-License-Identifier: Apache-2.0
// usage: print_analysis TRACE...
// Prints our analysis of each trace in the terms of the judges, one line of JSON per trace. Times
// are in microseconds.
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/traces/analysis.h"
#include "harness/traces/trace_files.h"

namespace stepbench {
namespace {

using Json = nlohmann::json;

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json tensorboard(const traces::Trace& trace, const traces::Analysis& analysis) {
  Json out = {{"steps", Json::array()}, {"gpus", Json::array()}};
  for (const traces::Step& step : analysis.steps.steps) {
    out["steps"].push_back(std::to_string(step.number));
  }
  for (const traces::DeviceUse& use : analysis.device_use) {
    out["gpus"].push_back({{"device", use.device},
                           {"sm_efficiency", or_null(use.sm_efficiency)},
                           {"occupancy", or_null(use.occupancy_percent)}});
  }
  out["eligible"] = or_null(analysis.eligible_share);
  if (analysis.operators) {
    for (const traces::OperatorRow& row : *analysis.operators) {
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
    for (const traces::KernelRow& row : analysis.kernels->rows) {
      out["kernels"][trace.names[row.name].text] = {row.calls,
                                                    us(row.total_ns),
                                                    us(row.max_ns),
                                                    us(row.min_ns),
                                                    or_null(row.tensor_cores),
                                                    or_null(row.blocks_per_sm),
                                                    or_null(row.occupancy_percent)};
    }
  }
  return out;
}

Json holistic(const traces::Analysis& analysis) {
  Json out;
  if (analysis.launches) {
    const traces::Launches& launches = *analysis.launches;
    out["launches"] = {{"rows", launches.rows},
                       {"delay_mean", launches.delay.mean / 1000},
                       {"delay_median", launches.delay.median / 1000},
                       {"delay_max", launches.delay.max / 1000},
                       {"long_delays", launches.long_delays},
                       {"long_calls", launches.long_calls},
                       {"short_kernels", launches.short_kernels}};
  }
  if (analysis.queues) {
    for (const traces::LaunchQueue& queue : *analysis.queues) {
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
    const traces::Trace trace = traces::read_trace(argv[i]);
    const traces::Analysis analysis = traces::analyse(trace);
    const Json line = {{"tensorboard", tensorboard(trace, analysis)},
                       {"holistic", holistic(analysis)}};
    std::cout << line.dump() << '\n';
  }
  return 0;
}
