// SPDX-License-Identifier: Apache-2.0
// Values of a single launch for comparisons and histories; NaN if the launch lacks the value. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/estimate/launch_estimate.h"

namespace stepbench::estimate {

// A launch and the clock on which it is compared with others.
struct ClockedLaunch {
  const record::Launch& launch;
  const LaunchEstimate& estimate;
  StepClock clock;
};

// Per step. Phases that the device does not see, such as the wait for data, use the host's clock.
[[nodiscard]] double phase_ns(const ClockedLaunch& of, std::string_view phase);
// Share of the step, by the host's clock.
[[nodiscard]] double phase_share(const LaunchEstimate& estimate, std::string_view phase);

// Mean over its steps of a column of samples.
[[nodiscard]] double column_mean(const record::Launch& launch, std::string_view name);
[[nodiscard]] double reported(const record::Launch& launch, std::string_view metric);
// Per-step value of a metric that is summed over the windows: launches may differ in their number
// of measured steps.
[[nodiscard]] double reported_per_step(const ClockedLaunch& of, std::string_view metric);

// Work per second.
[[nodiscard]] double work_rate(const ClockedLaunch& of, const std::optional<std::int64_t>& work);
// nullopt if the launch does not record its operations.
[[nodiscard]] std::optional<ModelRate> model_rate_of(const ClockedLaunch& of);

}  // namespace stepbench::estimate
