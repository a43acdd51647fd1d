// SPDX-License-Identifier: Apache-2.0
#include "harness/run/memory_limit.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "harness/machine/device_sampler.h"

namespace stepbench::run {
namespace {

// torch prefers the newer name if both are set.
constexpr std::string_view kAllocator = "PYTORCH_ALLOC_CONF";
constexpr std::string_view kCudaAllocator = "PYTORCH_CUDA_ALLOC_CONF";

void set_share(double share, machine::Variables& variables) {
  const std::string setting = "per_process_memory_fraction:" + std::to_string(share);
  for (const std::string_view name : {kAllocator, kCudaAllocator}) {
    const auto found = std::ranges::find(variables, name, &machine::Variables::value_type::first);
    if (found == variables.end()) continue;
    found->second += (found->second.empty() ? "" : ",") + setting;
    return;
  }
  variables.emplace_back(kCudaAllocator, setting);
}

}  // namespace

void limit_memory(std::int64_t bytes, const ResolvedCase& resolved,
                  const machine::NvmlSession* devices, LaunchRequest& request) {
  const std::string device = resolved.text_or("device", "cpu");
  if (!device.starts_with("cuda")) {
    request.spawn.data_bytes = bytes + kMappedOnlyBytes;
    request.limits.memory_bytes = bytes;
    return;
  }
  const std::optional<int> index =
      machine::watched_device(device, request.spawn.environment, devices);
  if (devices == nullptr || !index) return;
  const auto state = devices->read(*index);
  if (!state || state->mig.value_or(false) || state->memory_total_bytes.value_or(0) <= 0) return;
  const double share = static_cast<double>(bytes) / static_cast<double>(*state->memory_total_bytes);
  if (share < 1) set_share(share, request.spawn.environment);
}

}  // namespace stepbench::run
