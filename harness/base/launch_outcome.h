// SPDX-License-Identifier: Apache-2.0
// How one launch ended, and the doubts about its integrity in its `flags`. Value types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench {

// Result state of one launch. Expected failures are values, not exceptions: they are recorded and
// the sweep continues.
struct Outcome {
  enum class Kind : std::uint8_t { kMeasured, kSkipped, kFailed };  // written to disk by name
  Kind kind = Kind::kMeasured;
  std::string reason;  // empty when measured

  [[nodiscard]] static Outcome measured() { return {}; }
  [[nodiscard]] static Outcome skipped(std::string why) { return {Kind::kSkipped, std::move(why)}; }
  [[nodiscard]] static Outcome failed(std::string why) { return {Kind::kFailed, std::move(why)}; }
};
constexpr EnumNames<3> names_of(Outcome::Kind) { return {"measured", "skipped", "failed"}; }

}  // namespace stepbench

namespace stepbench::launch_flag {

// Values of `flags`. Written to disk (see results/SCHEMA.md): do not rename.

// Set by the worker.
inline constexpr std::string_view kTruncated = "truncated";
inline constexpr std::string_view kWarmupTooShort = "warmup_too_short";
inline constexpr std::string_view kDrifting = "drifting";
inline constexpr std::string_view kFirstStepSlow = "first_step_slow";
inline constexpr std::string_view kClockTies = "clock_ties";
inline constexpr std::string_view kOpsIncomplete = "ops_incomplete";

// Set by the controller, from the state of the machine.
inline constexpr std::string_view kWaitedForCpu = "waited_for_cpu";
inline constexpr std::string_view kSteal = "steal";
inline constexpr std::string_view kCpuQuota = "cpu_quota";
inline constexpr std::string_view kThrottled = "throttled";
inline constexpr std::string_view kGpuLost = "gpu_lost";
inline constexpr std::string_view kGpuMemoryErrors = "gpu_memory_errors";
inline constexpr std::string_view kMemoryGrew = "memory_grew";

// Set by the controller on a profiled launch, compared with the timed ones.
inline constexpr std::string_view kPerturbed = "perturbed";
inline constexpr std::string_view kProfileMismatch = "profile_mismatch";

// Returns the end of the sentence "in 3 of 6 launches ..."; an unknown flag is returned unchanged.
[[nodiscard]] constexpr std::string_view meaning(std::string_view flag) {
  if (flag == kTruncated) return "the window ended before all its steps were measured";
  if (flag == kWarmupTooShort) return "the warm-up was too short";
  if (flag == kDrifting) return "steps became slower within the window";
  if (flag == kFirstStepSlow) return "the first measured step was slow";
  if (flag == kClockTies) return "steps were too short for the clock";
  if (flag == kOpsIncomplete) return "not every operation was recorded";
  if (flag == kWaitedForCpu) return "the program had to wait for a CPU";
  if (flag == kSteal) return "the hypervisor took CPU time away";
  if (flag == kCpuQuota) return "a CPU quota stopped the program";
  if (flag == kThrottled) return "the GPU was slowed down";
  if (flag == kGpuLost) return "the GPU was lost";
  if (flag == kGpuMemoryErrors) return "the GPU had memory errors";
  if (flag == kMemoryGrew) return "memory grew within the windows";
  if (flag == kPerturbed) return "profiling changed the steps";
  if (flag == kProfileMismatch) return "the profiled launch computed something else";
  return flag;
}

}  // namespace stepbench::launch_flag
