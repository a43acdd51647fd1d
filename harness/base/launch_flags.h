// SPDX-License-Identifier: Apache-2.0
// What the `flags` of a launch say of its integrity. They stand on disk (see results/SCHEMA.md): do
// not respell.
#pragma once

#include <string_view>

namespace stepbench::launch_flag {

// By the worker.
inline constexpr std::string_view kTruncated = "truncated";
inline constexpr std::string_view kWarmupTooShort = "warmup_too_short";
inline constexpr std::string_view kDrifting = "drifting";
inline constexpr std::string_view kFirstStepSlow = "first_step_slow";
inline constexpr std::string_view kClockTies = "clock_ties";
inline constexpr std::string_view kOpsIncomplete = "ops_incomplete";

// By the controller, from what the machine did.
inline constexpr std::string_view kWaitedForCpu = "waited_for_cpu";
inline constexpr std::string_view kSteal = "steal";
inline constexpr std::string_view kCpuQuota = "cpu_quota";
inline constexpr std::string_view kThrottled = "throttled";

// By the controller, of a profiled launch beside the timed ones.
inline constexpr std::string_view kPerturbed = "perturbed";
inline constexpr std::string_view kProfileMismatch = "profile_mismatch";

}  // namespace stepbench::launch_flag
