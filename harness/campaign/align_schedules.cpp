// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/align_schedules.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "harness/schedule/window_fit.h"

namespace stepbench::campaign {
namespace {

std::int64_t steps(const ResolvedCase& resolved, const char* option, std::int64_t otherwise = 0) {
  const Value* value = resolved.options.get(option);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? otherwise : *number;
}

std::int64_t lead(const ResolvedCase& resolved) {
  return steps(resolved, "schedule.wait") + steps(resolved, "schedule.warmup");
}

// A worker of an older build may lack some of these options.
bool put(ResolvedCase& resolved, const char* option, std::int64_t value) {
  if (!resolved.has(option) || steps(resolved, option) == value) return false;
  resolved.options[option] = value;
  return true;
}

}  // namespace

bool align_schedules(const std::set<std::string>& kept, ResolvedCase& a, ResolvedCase& b) {
  const std::int64_t refill = std::max(steps(a, "schedule.refill"), steps(b, "schedule.refill"));
  if (refill == 0) return false;
  const std::int64_t block = std::lcm(steps(a, "schedule.block", 1), steps(b, "schedule.block", 1));
  const std::int64_t active = schedule::rounded_up(
      std::max(steps(a, "schedule.active"), steps(b, "schedule.active")), block);
  const std::int64_t longest_lead = std::max(lead(a), lead(b));
  bool changed = false;
  for (ResolvedCase* arm : {&a, &b}) {
    put(*arm, "schedule.refill", refill);
    if (!kept.contains("schedule.active")) changed |= put(*arm, "schedule.active", active);
    if (kept.contains("schedule.warmup") || kept.contains("schedule.wait")) continue;
    changed |= put(*arm, "schedule.warmup", longest_lead - steps(*arm, "schedule.wait"));
  }
  return changed;
}

}  // namespace stepbench::campaign
