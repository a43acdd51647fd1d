// SPDX-License-Identifier: Apache-2.0
// The step-time breakdown of TensorBoard's PyTorch plug-in (torch-tb-profiler 0.4.3), equal to its
// published numbers. Its windows follow the device: a step ends with the last device row that it
// launched, and the next one starts there. Pure; any thread.
//
// Where it is wrong this is not: calls of the driver join kernels with steps too, NCCL's kernels
// are known by their names, drawn annotations of the device are no steps, a category that takes all
// time leaves none to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// In the order in which they claim time.
enum class TensorboardRole : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataLoader,
  kCpuExec,
  kOther
};
inline constexpr std::size_t kTensorboardRoles = 8;
[[nodiscard]] std::string_view name_of(TensorboardRole role);  // "DataLoader", as the plug-in's

struct TensorboardStep {
  std::int64_t number = 0;
  TimeSpan window = {};
  std::array<std::int64_t, kTensorboardRoles> ns = {};  // sum to the window

  [[nodiscard]] std::int64_t of(TensorboardRole role) const {
    return ns[static_cast<std::size_t>(role)];
  }
};

// From the first step's start to the last one's end.
struct TensorboardGpu {
  int device = 0;
  double utilization = 0;                        // 0..1: a kernel ran
  std::optional<double> sm_efficiency = {};      // 0..1, estimated
  std::optional<double> occupancy_percent = {};  // estimated
  std::optional<double> tensor_core_share = {};  // 0..1 of kernel time
};

struct Tensorboard {
  static constexpr WindowKind kWindow = WindowKind::kTensorboardStep;

  std::vector<TensorboardStep> steps = {};
  std::size_t left_out = 0;  // last steps, of whose work the profiler saw too little
  std::array<double, kTensorboardRoles> mean_ns = {};
  double mean_total_ns = 0;
  std::vector<TensorboardGpu> gpus = {};
  std::optional<double> eligible_share = {};  // Operators::eligible_share, which the plug-in shows
};

[[nodiscard]] ValueOrReason<Tensorboard> tensorboard_breakdown(
    const Timeline& timeline, const Steps& steps, std::optional<double> eligible_share);

}  // namespace stepbench::analyze
