// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/launch_limits.h"

#include <algorithm>
#include <string>
#include <variant>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

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

namespace {

constexpr std::int64_t kBaseNs = 10 * kNsPerS;
constexpr std::int64_t kTimes = 20;
// Shorter warm-ups are ignored: their messages arrived together.
constexpr std::int64_t kMinWarmupNs = 1'000'000;
constexpr std::int64_t kForever = 1'000'000'000 * kNsPerS;

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) || result > kForever ? kForever : result;
}

}  // namespace

void StallWatch::stage(const protocol::StageMessage& message, std::int64_t now_ns) {
  using protocol::Stage;
  reported_step_ns_ = std::max<std::int64_t>(message.step_ns, 0);
  if (message.stage == Stage::kWarmup) {
    const bool again = wait_ == Wait::kForWindow && warmup_began_ns_;
    paused_ = message.step_ns == 0 && (again || wait_ == Wait::kForCycle);
    if (!again) warmup_began_ns_ = now_ns;
    repeats_ = repeats_ || (again && message.step_ns > 0);
    wait_ = Wait::kForWindow;
    return;
  }
  if (message.stage != Stage::kActive) return;
  paused_ = false;
  wait_ = Wait::kForCycle;
  window_steps_ = message.steps;
  if (reported_step_ns_ == 0 && rule_.host_only && warmup_began_ns_ && rule_.lead_steps > 0) {
    const std::int64_t took_ns = now_ns - *warmup_began_ns_;
    if (took_ns >= kMinWarmupNs) reported_step_ns_ = std::max(took_ns / rule_.lead_steps, kTimes);
  }
  warmup_began_ns_.reset();
}

void StallWatch::cycle(std::int64_t mean_step_ns) {
  cycle_step_ns_ = rule_.host_only ? std::max<std::int64_t>(mean_step_ns, 0) : 0;
  wait_ = Wait::kForEnd;
}

std::optional<StallWatch::Expected> StallWatch::expected() const {
  // The first steps of a fresh process are untypical, and those that a loader had ready are short.
  const bool window = wait_ == Wait::kForCycle;
  // Without a warm-up, these are in the window.
  const bool usual = rule_.usual_step_ns > 0 && rule_.lead_steps > 0;
  const bool known = cycle_step_ns_ > 0 || (window && (reported_step_ns_ > 0 || usual));
  if (!rule_.automatic || wait_ == Wait::kForEnd || paused_ || !known) return std::nullopt;
  // A window that must lie between epoch borders may begin one window and a refill later.
  const std::int64_t lead = rule_.lead_steps + rule_.window_steps + 1 + rule_.refill_steps;
  const std::int64_t steps = wait_ == Wait::kForWindow ? lead
                             : window_steps_ > 0       ? window_steps_
                                                       : rule_.window_steps;
  return Expected{std::max({cycle_step_ns_, reported_step_ns_, rule_.usual_step_ns}), steps};
}

std::int64_t StallWatch::by_step_ns() const {
  return product(rule_.step_ns, std::max<std::int64_t>(rule_.lead_steps + rule_.window_steps, 1));
}

std::int64_t StallWatch::by_expected_ns(const Expected& expected) const {
  const std::int64_t work_ns = product(product(expected.step_ns, expected.steps), kTimes);
  return product(kBaseNs + work_ns, rule_.patience);
}

std::int64_t StallWatch::silence_ns() const { return limit().silence_ns; }

StallWatch::Limit StallWatch::limit() const {
  if (rule_.fixed_ns) return {*rule_.fixed_ns, "limits.stall_s"};
  Limit limit{by_step_ns(), "limits.step_s x steps per cycle"};
  if (repeats_ && !paused_ && rule_.automatic && wait_ == Wait::kForWindow) {
    const std::int64_t one_step_ns = product(rule_.step_ns + kNsPerS, rule_.patience);
    if (one_step_ns < limit.silence_ns) limit = {one_step_ns, "limits.step_s"};
  }
  const auto known = expected();
  if (known && by_expected_ns(*known) < limit.silence_ns) {
    limit = {by_expected_ns(*known),
             formatted("limits.stall_s: auto, {} s + {} x {} per step x {}", 10 * rule_.patience,
                       kTimes * rule_.patience, text::duration(static_cast<double>(known->step_ns)),
                       text::counted(known->steps, "step"))};
  }
  return limit;
}

}  // namespace stepbench::run
