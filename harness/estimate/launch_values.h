// SPDX-License-Identifier: Apache-2.0
// The numbers of one launch, as comparisons and histories take them. NaN where the launch has no
// such number. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/estimate/launch_estimate.h"

namespace stepbench::estimate {

// A launch, by the clock on which it stands beside others.
struct ClockedLaunch {
  const record::Launch& launch;
  const LaunchEstimate& estimate;
  StepClock clock;
};

// Per step. What the device does not see of the step, the wait for data, is the host's.
[[nodiscard]] double phase_ns(const ClockedLaunch& of, std::string_view phase);
// Of the step, by the host's clock.
[[nodiscard]] double phase_share(const LaunchEstimate& estimate, std::string_view phase);

// Over its steps, of a column of its samples.
[[nodiscard]] double column_mean(const record::Launch& launch, std::string_view name);
[[nodiscard]] double reported(const record::Launch& launch, std::string_view metric);
// Of a metric that sums up over the windows: launches may have measured unequally many steps.
[[nodiscard]] double reported_per_step(const ClockedLaunch& of, std::string_view metric);

// Work of the launch over its time, per second.
[[nodiscard]] double work_rate(const ClockedLaunch& of, const std::optional<std::int64_t>& work);
// nullopt where the launch does not say its operations.
[[nodiscard]] std::optional<ModelRate> model_rate_of(const ClockedLaunch& of);

}  // namespace stepbench::estimate
