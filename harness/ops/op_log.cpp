// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_log.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace stepbench::ops {

bool starts_work(std::string_view call) {
  constexpr std::array<std::string_view, 14> kBeginnings = {
      "cudaLaunchKernel",          "cudaLaunchCooperativeKernel",
      "cudaGraphLaunch",           "cuLaunchKernel",
      "cuLaunchCooperativeKernel", "cuGraphLaunch",
      "hipLaunchKernel",           "hipLaunchCooperativeKernel",
      "hipModuleLaunchKernel",     "hipModuleLaunchCooperativeKernel",
      "hipExtLaunchKernel",        "hipExtModuleLaunchKernel",
      "hipHccModuleLaunchKernel",  "hipGraphLaunch"};
  call.remove_prefix(std::min(call.find_first_not_of('_'), call.size()));
  return std::ranges::any_of(
      kBeginnings, [&](std::string_view beginning) { return call.starts_with(beginning); });
}

bool waits_for_device(std::string_view call) {
  constexpr std::array<std::string_view, 6> kWaits = {
      "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
      "cuCtxSynchronize",      "cuStreamSynchronize",   "cuEventSynchronize"};
  return std::ranges::find(kWaits, call) != kWaits.end();
}

void name_queries(OpLog& log, std::size_t first) {
  const auto begin = log.activities.begin() + std::ptrdiff_t(first);
  std::unordered_map<std::uint64_t, std::string_view> queries;
  for (auto each = begin; each != log.activities.end(); ++each) {
    if (!is_call(*each) || each->name >= log.names.size()) continue;
    const std::string& call = log.names[each->name];
    if (call == "cudaEventQuery" || call == "cuEventQuery") {
      queries[each->correlation] = "Event Query";
    } else if (call == "cudaStreamQuery" || call == "cuStreamQuery") {
      queries[each->correlation] = "Stream Query";
    }
  }
  std::unordered_map<std::string_view, std::uint32_t> ids;
  for (auto each = begin; each != log.activities.end(); ++each) {
    if (each->kind != ActivityKind::kSynchronization) continue;
    const auto query = queries.find(each->correlation);
    if (query == queries.end()) continue;
    const auto [id, is_new] = ids.try_emplace(query->second, std::uint32_t(log.names.size()));
    if (is_new) log.names.emplace_back(query->second);
    each->name = id->second;
  }
}

std::vector<LaunchCall> launch_calls(std::span<const DeviceActivity> activities,
                                     std::span<const std::string> names) {
  std::vector<bool> starts(names.size());
  std::transform(names.begin(), names.end(), starts.begin(), starts_work);
  std::vector<const DeviceActivity*> calls;
  for (const DeviceActivity& each : activities) {
    if (is_call(each) && each.name < starts.size() && starts[each.name]) calls.push_back(&each);
  }
  // Sorts each call before the calls that it makes.
  std::ranges::sort(calls, [](const DeviceActivity* a, const DeviceActivity* b) {
    return std::tuple(a->thread, a->start_ns, -a->end_ns, a->kind) <
           std::tuple(b->thread, b->start_ns, -b->end_ns, b->kind);
  });
  std::vector<LaunchCall> launches;
  std::unordered_map<std::uint64_t, std::size_t> by_correlation;
  for (const DeviceActivity* call : calls) {
    const DeviceActivity* outer = launches.empty() ? nullptr : launches.back().call;
    if (outer != nullptr && outer->thread == call->thread && call->start_ns < outer->end_ns) {
      launches.back().inner = call->correlation;
      continue;
    }
    if (call->correlation != 0 &&
        !by_correlation.try_emplace(call->correlation, launches.size()).second) {
      continue;
    }
    launches.push_back({.call = call});
  }
  return launches;
}

std::int64_t launches_without_record(std::span<const DeviceActivity> activities,
                                     std::span<const std::string> names,
                                     const std::unordered_set<std::uint64_t>& failed) {
  std::unordered_set<std::uint64_t> answered = failed;
  for (const DeviceActivity& each : activities) {
    if (is_device_work(each)) answered.insert(each.correlation);
  }
  const std::vector<LaunchCall> launches = launch_calls(activities, names);
  return std::ranges::count_if(launches, [&](const LaunchCall& launch) {
    return !answered.contains(launch.call->correlation) &&
           (launch.inner == 0 || !answered.contains(launch.inner));
  });
}

bool is_of_nvidia(const TraceDevice& device) {
  constexpr int kWarp = 32;
  constexpr std::string_view kOthers[] = {"AMD", "Radeon", "Instinct", "gfx", "Intel"};
  return device.compute_major > 0 && device.warp_size <= kWarp &&
         std::ranges::none_of(kOthers, [&](std::string_view maker) {
           return device.name.find(maker) != std::string::npos;
         });
}

}  // namespace stepbench::ops
