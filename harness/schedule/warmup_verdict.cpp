// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/warmup_verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/order_statistics.h"
#include "harness/stats/trend.h"

namespace stepbench::schedule {
namespace {

using Kind = WarmupVerdict::Kind;

// Modified z-score beyond which a step is an outlier (Iglewicz and Hoaglin's 3.5 is for normal
// data; step times have long tails).
constexpr double kFence = 10;

// Means of blocks, and the start of each in the window.
struct Blocks {
  std::vector<double> means;
  std::vector<std::size_t> begin;
};

Blocks blocks_of(std::span<const std::int64_t> step_ns, std::span<const std::int64_t> flags,
                 std::size_t length) {
  Blocks all{stats::block_means(step_ns, length), {}};
  const std::size_t surplus = step_ns.size() % length;
  Blocks steady;
  for (std::size_t i = 0; i < all.means.size(); ++i) {
    all.begin.push_back(surplus + i * length);
    const auto own = flags.subspan(all.begin.back(), length);
    if (std::any_of(own.begin(), own.end(), [](std::int64_t flag) { return flag != 0; })) continue;
    steady.means.push_back(all.means[i]);
    steady.begin.push_back(all.begin.back());
  }
  return steady.means.size() >= stats::kMinForTrend ? steady : all;
}

std::vector<double> steady_steps(std::span<const std::int64_t> step_ns,
                                 std::span<const std::int64_t> flags) {
  std::vector<double> steady;
  for (std::size_t i = 0; i < step_ns.size(); ++i) {
    if (flags[i] == 0) steady.push_back(static_cast<double>(step_ns[i]));
  }
  return steady;
}

bool only_first_step_is_slow(std::span<const double> steps) {
  if (steps.empty()) return false;
  const double centre = stats::median(steps);
  const double spread = stats::robust_sd(steps);
  const auto stands_out = [&](double step) { return step - centre > kFence * spread; };
  return stands_out(steps.front()) && std::none_of(steps.begin() + 1, steps.end(), stands_out);
}

}  // namespace

WarmupVerdict::Kind warmup_kind(std::string_view name) {
  return one_of<Kind>(name).value_or(Kind::kUnknown);
}

WarmupVerdict judge_warmup(std::span<const std::int64_t> step_ns,
                           std::span<const std::int64_t> flags, std::int64_t block_steps) {
  const auto length = static_cast<std::size_t>(std::max<std::int64_t>(block_steps, 1));
  const Blocks blocks = blocks_of(step_ns, flags, length);
  const stats::Trend found = stats::trend(blocks.means);
  WarmupVerdict verdict;
  if (!found.known) return verdict;
  verdict.change = found.change;
  if (!found.moving) {
    verdict.kind = Kind::kOk;
    verdict.first_step_slow = only_first_step_is_slow(steady_steps(step_ns, flags));
    return verdict;
  }
  if (found.change > 0) {
    verdict.kind = Kind::kDrifting;
    return verdict;
  }
  verdict.kind = Kind::kTooShort;
  const std::size_t from =
      found.steady_from < blocks.begin.size() ? blocks.begin[found.steady_from] : step_ns.size();
  verdict.more_steps = static_cast<std::int64_t>(std::max<std::size_t>(from, 1));
  return verdict;
}

WarmupVerdict worse(const WarmupVerdict& a, const WarmupVerdict& b) {
  if (a.kind != b.kind) return a.kind > b.kind ? a : b;
  const bool more = a.more_steps != b.more_steps ? a.more_steps > b.more_steps
                                                 : std::abs(a.change) >= std::abs(b.change);
  WarmupVerdict out = more ? a : b;
  out.first_step_slow = a.first_step_slow || b.first_step_slow;
  return out;
}

WarmupVerdict agreed(std::span<const WarmupVerdict> launches) {
  WarmupVerdict out;
  for (const Kind kind : {Kind::kTooShort, Kind::kDrifting}) {
    std::vector<double> changes;
    for (const WarmupVerdict& each : launches) {
      if (each.kind != kind) continue;
      changes.push_back(each.change);
      out.more_steps = std::max(out.more_steps, each.more_steps);
    }
    if (2 * changes.size() > launches.size()) {
      out.kind = kind;
      out.change = stats::median(changes);
      return out;
    }
    out.more_steps = 0;
  }
  const auto unknown = std::count_if(launches.begin(), launches.end(),
                                     [](const auto& each) { return each.kind == Kind::kUnknown; });
  const bool mostly_known = 2 * static_cast<std::size_t>(unknown) < launches.size();
  if (mostly_known) out.kind = Kind::kOk;
  return out;
}

std::string describe(const WarmupVerdict& verdict) {
  const std::string tenths = std::to_string(std::llround(std::abs(verdict.change) * 1000));
  const std::string percent =
      (tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0") + "." + tenths.back() + " %";
  if (verdict.kind == Kind::kTooShort) {
    return "warm-up too short, at least " + std::to_string(verdict.more_steps) + " more steps" +
           (verdict.change < 0 ? ": steps became " + percent + " faster within the window" : "");
  }
  if (verdict.kind == Kind::kDrifting) {
    return "drifting: steps became " + percent +
           " slower within the window, which no warm-up cures: look for falling clocks, memory "
           "that grows, a loader that lives on batches made before, other programs";
  }
  if (verdict.first_step_slow) {
    return "the first measured step alone is slow: one more warm-up step leaves it out";
  }
  return {};
}

}  // namespace stepbench::schedule
