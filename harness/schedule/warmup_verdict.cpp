// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/warmup_verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/order.h"
#include "harness/stats/trend.h"

namespace stepbench {
namespace {

using Kind = WarmupVerdict::Kind;

// Modified z-score beyond which a step stands out (Iglewicz and Hoaglin's 3.5 is for normal data;
// step times have long tails).
constexpr double kFence = 10;

bool only_the_first_stands_out(std::span<const double> steps) {
  const double centre = median(steps);
  const double spread = robust_sd(steps);
  const auto stands_out = [&](double step) { return step - centre > kFence * spread; };
  return stands_out(steps.front()) && std::none_of(steps.begin() + 1, steps.end(), stands_out);
}

}  // namespace

std::string_view name_of(WarmupVerdict::Kind kind) {
  switch (kind) {
    case Kind::kUnknown:
      return "unknown";
    case Kind::kOk:
      return "ok";
    case Kind::kTooShort:
      return "too_short";
  }
  return "unknown";
}

WarmupVerdict judge_warmup(std::span<const std::int64_t> step_ns,
                           std::span<const std::int64_t> flags) {
  std::vector<double> steady;
  std::vector<std::size_t> place;  // of each steady step in the window
  for (std::size_t i = 0; i < step_ns.size(); ++i) {
    if (flags[i] != 0) continue;
    steady.push_back(static_cast<double>(step_ns[i]));
    place.push_back(i);
  }
  const Trend found = trend(steady);
  WarmupVerdict verdict;
  if (!found.known) return verdict;
  verdict.change = found.change;
  if (!found.moving) {
    verdict.kind = Kind::kOk;
    verdict.first_step_slow = only_the_first_stands_out(steady);
    return verdict;
  }
  verdict.kind = Kind::kTooShort;
  const std::size_t from =
      found.steady_from < place.size() ? place[found.steady_from] : step_ns.size();
  verdict.more_steps = static_cast<std::int64_t>(std::max<std::size_t>(from, 1));
  return verdict;
}

WarmupVerdict worse(const WarmupVerdict& a, const WarmupVerdict& b) {
  if (a.kind != b.kind) return a.kind > b.kind ? a : b;
  WarmupVerdict out = a.more_steps >= b.more_steps ? a : b;
  out.first_step_slow = a.first_step_slow || b.first_step_slow;
  return out;
}

std::string describe(const WarmupVerdict& verdict) {
  if (verdict.kind == Kind::kTooShort) {
    const std::string tenths = std::to_string(std::llround(std::abs(verdict.change) * 1000));
    const std::string percent = (tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0") +
                                "." + tenths.back() + " %";
    return "warm-up too short, at least " + std::to_string(verdict.more_steps) +
           " more steps (steps became " + percent + (verdict.change < 0 ? " faster" : " slower") +
           " within the window)";
  }
  if (verdict.first_step_slow) {
    return "the first measured step alone is slow: one more warm-up step leaves it out";
  }
  return {};
}

}  // namespace stepbench
