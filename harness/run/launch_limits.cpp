// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch_limits.h"

#include <algorithm>
#include <string>
#include <variant>

#include "harness/base/value.h"

namespace stepbench {
namespace {

std::int64_t option_or(const ResolvedCase& resolved, std::string_view name, double fallback,
                       double scale) {
  const double value = number_of(resolved.options, name).value_or(fallback);
  return static_cast<std::int64_t>(std::min(value * scale, 1e18));
}

}  // namespace

LaunchLimits limits_of(const ResolvedCase& resolved) {
  constexpr double kNs = static_cast<double>(kNsPerS);
  LaunchLimits limits;
  limits.wall_ns = option_or(resolved, "limits.wall_s", 600, kNs);
  limits.set_up_ns = option_or(resolved, "limits.set_up_s", 120, kNs);
  limits.tear_down_ns = option_or(resolved, "limits.tear_down_s", 30, kNs);
  const auto steps = [&](std::string_view name, double fallback) {
    return option_or(resolved, name, fallback, 1);
  };
  const auto active = resolved.options.find("schedule.active");
  const bool automatic =
      active != resolved.options.end() && std::holds_alternative<std::string>(active->second);
  const std::int64_t cycle =
      steps("schedule.skip_first", 0) + steps("schedule.wait", 0) + steps("schedule.warmup", 0) +
      (automatic ? steps("schedule.max_active", 10'000) : steps("schedule.active", 1));
  limits.silence_ns = option_or(resolved, "limits.step_s", 60,
                                kNs * static_cast<double>(std::max<std::int64_t>(cycle, 1)));
  return limits;
}

}  // namespace stepbench
