// SPDX-License-Identifier: Apache-2.0
// Replaces nvtx_ranges.cpp and cupti_records.cpp in builds without their headers.
#include "harness/cuda/internal/cupti_records.h"
#include "harness/cuda/internal/nvtx_ranges.h"
#include "harness/cuda/internal/unavailable.h"

namespace stepbench::cuda {
namespace {

constexpr const char* kReason = "not built in: the headers of CUPTI and NVTX were not found";

}  // namespace

std::unique_ptr<Instrument> make_nvtx_ranges(std::optional<CudaApi>, NvtxOptions) {
  return std::make_unique<UnavailableInstrument>("NVTX", kReason);
}

std::span<const std::uint32_t> activity_kinds() { return {}; }
std::span<const std::uint32_t> quiet_runtime_calls() { return {}; }
std::span<const std::uint32_t> quiet_driver_calls() { return {}; }
std::string records_unreadable(std::uint32_t) { return kReason; }
bool read_activity(const void*, const ActivityNames&, ActivityRecord&) { return false; }

}  // namespace stepbench::cuda
