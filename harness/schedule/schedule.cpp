// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/base/format.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/trend.h"

namespace stepbench::schedule {

Action action_at(const Schedule& schedule, std::int64_t step) {
  assert(step >= 0 && schedule.active > 0);
  if (step < schedule.skip_first) return Action::kNone;
  step -= schedule.skip_first;
  if (schedule.skip_first_wait != 0) step += schedule.wait;
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  if (schedule.repeat > 0 && step / cycle >= schedule.repeat) return Action::kNone;
  const std::int64_t in_cycle = step % cycle;
  if (in_cycle < schedule.wait) return Action::kNone;
  if (in_cycle < schedule.wait + schedule.warmup) return Action::kWarmup;
  return in_cycle < cycle - 1 ? Action::kRecord : Action::kRecordAndSave;
}

std::optional<std::int64_t> steps_to_window(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.skip_first) return std::nullopt;
  step -= schedule.skip_first;
  const bool without_wait = schedule.skip_first_wait != 0 && step == 0;
  if (schedule.skip_first_wait != 0) step += schedule.wait;
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  if (schedule.repeat > 0 && step / cycle >= schedule.repeat) return std::nullopt;
  if (without_wait) return schedule.warmup;
  if (step % cycle != 0) return std::nullopt;
  return schedule.wait + schedule.warmup;
}

namespace {

constexpr std::size_t kMinWindows = 10;  // windows, and joined windows

// Number of windows in a joined one.
std::size_t joined(std::size_t windows) {
  std::size_t length = 1;
  while (windows / (2 * length) >= kMinWindows) length *= 2;
  return length;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Half-width of Student's interval of the mean; needs two values or more.
double half_width_of_mean(std::span<const double> values, double confidence) {
  const double centre = mean(values);
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const boost::math::students_t law(n - 1);
  return boost::math::quantile(boost::math::complement(law, (1 - confidence) / 2)) *
         std::sqrt(squares / (n - 1) / n);
}

bool is_precise(const StopRule& rule, std::span<const double> window_means) {
  const auto interval = interval_of_windows(window_means);
  return interval && (interval->high - interval->low) / 2 <= rule.precision * mean(window_means);
}

// Checks only when a joined window is complete, and requires two consecutive precise checks: with
// many checks, a single interval may be narrow by chance.
bool precise_twice_running(const StopRule& rule, std::span<const double> window_means) {
  const std::size_t windows = window_means.size();
  const std::size_t length = joined(windows);
  if (windows % length != 0 || windows <= kMinWindows) return false;
  const std::size_t before = windows - joined(windows - 1);
  return is_precise(rule, window_means) && is_precise(rule, window_means.first(before));
}

}  // namespace

StopVerdict stop_after(const StopRule& rule, std::int64_t cycles_done, std::int64_t active_done,
                       std::span<const double> window_means) {
  const bool enough_cycles = rule.cycles > 0 && cycles_done >= rule.cycles;
  StopVerdict verdict;
  if (!rule.automatic) {
    if (enough_cycles) verdict.stop = StopReason::kCount;
    return verdict;
  }
  verdict.interval = interval_of_windows(window_means);
  if (enough_cycles && precise_twice_running(rule, window_means)) {
    verdict.stop = StopReason::kPrecision;
  } else if (active_done >= rule.max_active) {
    verdict.stop = StopReason::kCount;
  }
  return verdict;
}

std::optional<stats::Interval> interval_of_windows(std::span<const double> window_means) {
  constexpr double kConfidence = 0.95;
  if (window_means.size() < kMinWindows) return std::nullopt;
  const std::size_t length = joined(window_means.size());
  std::vector<double> means;
  for (auto rest = window_means; rest.size() >= length; rest = rest.subspan(length)) {
    means.push_back(mean(rest.first(length)));
  }
  const double half_width = half_width_of_mean(means, kConfidence);
  const double centre = mean(window_means);
  return stats::Interval{centre - half_width, centre + half_width};
}

namespace {

// The numbers of ready batches at a window's begin and end differ by about a third of a turn.
constexpr double kTurnsAtItsEnds = 1.0 / 3;

// Batches are delivered in order, so the slowest of a turn delays the others.
double spread_of_batches(double batch_cv, std::int64_t workers) {
  return batch_cv * batch_cv * std::sqrt(static_cast<double>(workers));
}

}  // namespace

std::int64_t rounded_up(std::int64_t steps, std::int64_t block) {
  return (steps + block - 1) / block * block;
}

double window_sd(double batch_cv, std::int64_t workers, std::int64_t steps) {
  const auto n = static_cast<double>(steps);
  const double ends = kTurnsAtItsEnds * static_cast<double>(workers) / n;
  return std::sqrt(spread_of_batches(batch_cv, workers) / n + ends * ends);
}

std::int64_t steps_for_sd(double batch_cv, std::int64_t workers, double sd) {
  return static_cast<std::int64_t>(std::ceil(spread_of_batches(batch_cv, workers) / (sd * sd) +
                                             kTurnsAtItsEnds * static_cast<double>(workers) / sd));
}

namespace {

// The border step itself is not steady.
constexpr std::int64_t kAhead = 1;

std::int64_t unsteady(const EpochSteps& steps) { return std::max<std::int64_t>(steps.refill, 1); }

}  // namespace

EpochFit fit_epochs(const EpochSteps& steps, std::int64_t active) {
  const std::int64_t least = active + kAhead + unsteady(steps);
  if (steps.per_epoch == 0 || (!steps.only_whole && steps.per_epoch > least)) {
    return {.active = active, .epochs = 0};
  }
  const std::int64_t epochs = (active + steps.per_epoch - 1) / steps.per_epoch;
  return {.active = epochs * steps.per_epoch, .epochs = epochs};
}

std::int64_t steps_past_border(const EpochSteps& steps, std::int64_t active, std::int64_t begin) {
  if (steps.per_epoch == 0) return 0;
  assert(steps.per_epoch > active + kAhead + unsteady(steps));
  const std::int64_t place = begin % steps.per_epoch;
  const bool after_border = begin >= steps.per_epoch;
  if (after_border && place < unsteady(steps)) return unsteady(steps) - place;
  if (place + active + kAhead > steps.per_epoch) return steps.per_epoch - place + unsteady(steps);
  return 0;
}

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
  const std::string percent = formatted(
      "{}.{} %", tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0", tenths.back());
  if (verdict.kind == Kind::kTooShort) {
    return formatted(
        "warm-up too short, at least {} more steps{}", verdict.more_steps,
        verdict.change < 0 ? formatted(": steps became {} faster within the window", percent) : "");
  }
  if (verdict.kind == Kind::kDrifting) {
    return formatted(
        "drifting: steps became {} slower within the window, which no warm-up cures: look for "
        "falling clocks, memory that grows, a loader that lives on batches made before, other "
        "programs",
        percent);
  }
  if (verdict.first_step_slow) {
    return "the first measured step alone is slow: one more warm-up step leaves it out";
  }
  return {};
}

}  // namespace stepbench::schedule
