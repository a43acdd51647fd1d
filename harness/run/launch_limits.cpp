// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch_limits.h"

#include <algorithm>
#include <string>
#include <variant>

#include "harness/base/value.h"

namespace stepbench::run {
namespace {

std::int64_t option_or(const ResolvedCase& resolved, std::string_view name, double fallback,
                       double scale) {
  const double value = number_of(resolved.options, name).value_or(fallback);
  return static_cast<std::int64_t>(std::min(value * scale, 1e18));
}

StallRule stall_rule(const ResolvedCase& resolved, Pass pass) {
  constexpr double kNs = static_cast<double>(kNsPerS);
  constexpr int kObservedPatience = 10;
  const auto steps = [&](std::string_view name, double fallback) {
    return option_or(resolved, name, fallback, 1);
  };
  const Value* active = resolved.options.get("schedule.active");
  const bool automatic = active != nullptr && std::holds_alternative<std::string>(*active);
  StallRule rule;
  if (const auto stall_s = number_of(resolved.options, "limits.stall_s")) {
    rule.fixed_ns = static_cast<std::int64_t>(std::min(*stall_s * kNs, 1e18));
  }
  rule.step_ns = option_or(resolved, "limits.step_s", 60, kNs);
  rule.window_steps =
      automatic ? steps("schedule.max_active", 10'000) : steps("schedule.active", 1);
  rule.lead_steps =
      steps("schedule.skip_first", 0) + steps("schedule.wait", 0) + steps("schedule.warmup", 0);
  rule.refill_steps = steps("schedule.refill", 0);
  rule.host_only = resolved.text_or("device", "") == "cpu";
  rule.automatic = pass != Pass::kWrapped;
  if (is_profiling(pass)) rule.patience = kObservedPatience;
  return rule;
}

}  // namespace

LaunchLimits limits_of(const ResolvedCase& resolved, Pass pass) {
  constexpr double kNs = static_cast<double>(kNsPerS);
  LaunchLimits limits;
  limits.wall_ns = option_or(resolved, "limits.wall_s", 600, kNs);
  limits.join_ns = option_or(resolved, "limits.join_s", 60, kNs);
  limits.set_up_ns = option_or(resolved, "limits.set_up_s", 120, kNs);
  limits.tear_down_ns = option_or(resolved, "limits.tear_down_s", 30, kNs);
  limits.stall = stall_rule(resolved, pass);
  return limits;
}

}  // namespace stepbench::run
