// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop_options.h"

#include <algorithm>
#include <limits>

#include "harness/base/error.h"

namespace stepbench::worker {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMaxReservedS = 10;

std::int64_t count(const ResolvedCase& resolved, const char* option, std::int64_t smallest) {
  const std::int64_t value = resolved.integer(option);
  if (value < smallest) {
    throw Error(std::string(option) + " must be at least " + std::to_string(smallest) + ", is " +
                std::to_string(value));
  }
  return value;
}

// For an option that older or foreign workers may lack.
std::int64_t count_or(const ResolvedCase& resolved, const char* option, std::int64_t smallest) {
  return resolved.has(option) ? count(resolved, option, smallest) : smallest;
}

std::int64_t all_steps(const schedule::Schedule& schedule) {
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  const std::int64_t no_wait = schedule.skip_first_wait == 0 ? 0 : schedule.wait;
  return schedule.skip_first + std::max<std::int64_t>(schedule.repeat, 1) * cycle - no_wait;
}

// Instruments are active in warm-up too, which only covers their first use and can be short.
constexpr std::int64_t kMaxInstrumentedWarmup = 10;

void profile_last_steps(const ResolvedCase& resolved, LoopOptions& out) {
  const schedule::Schedule timing = out.schedule;
  schedule::Schedule& schedule = out.schedule;
  schedule = {.wait = 0, .warmup = 0, .active = count(resolved, "profile.active", 1), .repeat = 1};
  const Value* warmup = resolved.options.get("profile.warmup");
  if (warmup != nullptr && std::holds_alternative<std::int64_t>(*warmup)) {
    schedule.warmup = count(resolved, "profile.warmup", 0);
  } else {
    const std::int64_t steps = all_steps(timing);
    schedule.active = std::min(schedule.active, std::max<std::int64_t>(timing.active, 1));
    schedule.warmup = std::min(kMaxInstrumentedWarmup, steps - schedule.active);
    schedule.skip_first = steps - schedule.active - schedule.warmup;
  }
  out.stop = {};
  out.stop.cycles = 1;
}

}  // namespace

LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns, Pass pass) {
  LoopOptions out;
  schedule::Schedule& schedule = out.schedule;
  schedule.wait = count(resolved, "schedule.wait", 0);
  schedule.warmup = count(resolved, "schedule.warmup", 0);
  schedule.repeat = count(resolved, "schedule.repeat", 0);
  schedule.skip_first = count(resolved, "schedule.skip_first", 0);
  schedule.skip_first_wait = count(resolved, "schedule.skip_first_wait", 0);
  out.stop.cycles = schedule.repeat;
  out.block_steps = count_or(resolved, "schedule.block", 1);
  out.epoch_steps.refill = count_or(resolved, "schedule.refill", 0);
  const Value* active = resolved.options.get("schedule.active");
  out.stop.automatic = active != nullptr && *active == Value(std::string("auto"));
  if (out.stop.automatic) {
    out.stop.precision = resolved.number("schedule.precision");
    out.stop.max_active = count(resolved, "schedule.max_active", 1);
    schedule.active = std::min(count(resolved, "schedule.window", 1), out.stop.max_active);
    schedule.repeat = 0;
  } else {
    schedule.active = count(resolved, "schedule.active", 1);
  }
  out.timing = schedule;
  if (is_profiling(pass)) profile_last_steps(resolved, out);
  out.idle_device = is_profiling(pass);
  out.host_only = resolved.text_or("device", "") == "cpu";
  out.sync_each_step = resolved.text("schedule.sync") == "step";
  // No rank may stop alone: the others would block in a collective.
  out.deadline_ns = std::numeric_limits<std::int64_t>::max();
  if (resolved.integer_or("distributed.ranks", 1) > 1) return out;
  const double wall_s = resolved.number("limits.wall_s");
  const double stepping_s = wall_s - std::min(wall_s / 10, kMaxReservedS);
  out.deadline_ns = launch_began_ns + static_cast<std::int64_t>(stepping_s * kNsPerSecond);
  return out;
}

void fit_to_epochs(std::int64_t per_epoch, LoopOptions& options, Pass pass) {
  options.epoch_steps.per_epoch = per_epoch;
  const schedule::Schedule& timing = is_profiling(pass) ? options.timing : options.schedule;
  const schedule::EpochFit fit = schedule::fit_epochs(options.epoch_steps, timing.active);
  if (fit.epochs == 0) return;
  options.epoch_steps.per_epoch = 0;
  if (is_profiling(pass)) {
    const std::int64_t more = fit.active - timing.active;
    const std::int64_t cycles = std::max<std::int64_t>(timing.repeat, 1);
    if (options.schedule.skip_first > 0) options.schedule.skip_first += cycles * more;
    return;
  }
  options.schedule.active = fit.active;
  options.epochs = fit.epochs;
}

}  // namespace stepbench::worker
