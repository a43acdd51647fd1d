// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop_options.h"

#include <algorithm>

#include "harness/error.h"

namespace stepbench {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostReservedS = 10;

std::int64_t count(const ResolvedCase& resolved, const char* option, std::int64_t smallest) {
  const std::int64_t value = resolved.integer(option);
  if (value < smallest) {
    throw Error(std::string(option) + " must be at least " + std::to_string(smallest) + ", is " +
                std::to_string(value));
  }
  return value;
}

}  // namespace

LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns) {
  LoopOptions out;
  Schedule& schedule = out.schedule;
  schedule.wait = count(resolved, "schedule.wait", 0);
  schedule.warmup = count(resolved, "schedule.warmup", 0);
  schedule.repeat = count(resolved, "schedule.repeat", 0);
  schedule.skip_first = count(resolved, "schedule.skip_first", 0);
  schedule.skip_first_wait = count(resolved, "schedule.skip_first_wait", 0);
  out.stop.cycles = schedule.repeat;
  const Value* active = resolved.options.get("schedule.active");
  out.stop.automatic = active != nullptr && *active == Value(std::string("auto"));
  if (out.stop.automatic) {
    out.stop.precision = resolved.number("schedule.precision");
    out.stop.max_active = count(resolved, "schedule.max_active", 1);
    schedule.active = std::min(kAutomaticWindow, out.stop.max_active);
    schedule.repeat = 0;
  } else {
    schedule.active = count(resolved, "schedule.active", 1);
  }
  out.sync_each_step = resolved.text("schedule.sync") == "step";
  const double wall_s = resolved.number("limits.wall_s");
  const double stepping_s = wall_s - std::min(wall_s / 10, kMostReservedS);
  out.deadline_ns = launch_began_ns + static_cast<std::int64_t>(stepping_s * kNsPerSecond);
  return out;
}

}  // namespace stepbench
