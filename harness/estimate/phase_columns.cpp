// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/phase_columns.h"

#include <algorithm>
#include <array>

namespace stepbench::estimate {
namespace {

// Files before 1.4 do not record which columns are phases, and no file does for columns that its
// worker never declared. For those, every time is a phase except these. queue_wait_ns occurs in
// files before 0.2.
bool guessed_by_name(std::string_view column) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"step_ns", "epoch_wait_ns", "host_lead_ns", "step_device_ns", "period_device_ns",
       "overlap_device_ns", "idle_device_ns", "queue_wait_ns", "request_latency_ns",
       "time_to_first_token_ns", "time_per_output_token_ns"});
  return column.ends_with("_ns") &&
         std::find(kOthers.begin(), kOthers.end(), column) == kOthers.end();
}

bool is_phase(const record::Launch& launch, std::string_view column) {
  if (launch.phases != nullptr) {
    const auto declared = launch.phases->find(column);
    if (declared != launch.phases->end()) return declared->second;
  }
  return guessed_by_name(column);
}

}  // namespace

std::optional<PhaseColumn> phase_of(const record::Launch& launch, std::string_view column) {
  if (!is_phase(launch, column)) return std::nullopt;
  constexpr auto kSuffixes = std::to_array<std::pair<std::string_view, PhasePlace>>(
      {{"_side_device_ns", PhasePlace::kSideStream},
       {"_device_ns", PhasePlace::kComputeStream},
       {"_ns", PhasePlace::kHost}});
  for (const auto& [suffix, place] : kSuffixes) {
    if (!column.ends_with(suffix)) continue;
    column.remove_suffix(suffix.size());
    return PhaseColumn{std::string(column), place};
  }
  return std::nullopt;
}

}  // namespace stepbench::estimate
