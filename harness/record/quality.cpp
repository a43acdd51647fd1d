// SPDX-License-Identifier: Apache-2.0
#include "harness/record/quality.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "harness/base/launch_outcome.h"

namespace stepbench::record {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFillsUp = .02;  // share of the job's memory
constexpr std::int64_t kEnoughTicksNs = 1'000'000'000;

// Findings of loaders mention waiting for a CPU from twice `doubtful` on: they name it as the
// cause, not as a possible one.
constexpr std::array<FactRow, kFactCount> kRows = {{
    {Fact::kWaited, "waited_for_cpu", launch_flag::kWaitedForCpu, .01, .01, .05, .25, .01},
    // Services of an otherwise idle machine use up to 5 %: not doubtful, but not zero either. The
    // same limit applies between arms.
    {Fact::kOthers, "others_cpu_share", "", .01, .05, .10, .50, .05, kEnoughTicksNs},
    {Fact::kSteal, "steal_share", launch_flag::kSteal, .01, .01, .01, .10, .01, kEnoughTicksNs},
    // A quota stops all threads for the rest of a period: one event already makes a step longer.
    {Fact::kQuota, "cgroup_throttled_ns", launch_flag::kCpuQuota, 0, 0, 0, .10, .01},
    {Fact::kThrottled, "gpu.throttled", launch_flag::kThrottled, 0, 0, 0, kNever, .01},
    // Caused by the program itself: its power draw determines its clock.
    {Fact::kPowerCap, "gpu.power_capped_share", "", .05, kNever, kNever, kNever, kNever},
    // No absolute clock in MHz is bad; only `apart`, which is relative, applies.
    {Fact::kClock, "gpu.sm_mhz_median", "", kNever, kNever, kNever, kNever, .02},
    // Reading a mapped data set causes these faults too: never a flag.
    {Fact::kPagedIn, "major_faults", "", 0, kNever, kNever, kNever, kNever},
    {Fact::kLost, "gpu.lost", launch_flag::kGpuLost, 0, 0, 0, 0, kNever},
    {Fact::kMemoryErrors, "gpu.memory_errors", launch_flag::kGpuMemoryErrors, 0, 0, 0, 0, kNever},
    // In bytes per step, if it is more than caches and queues that fill up.
    {Fact::kGrowth, "window_growth_bytes", launch_flag::kMemoryGrew, 65536, 65536, kNever, kNever,
     kNever},
}};

}  // namespace

FactLevel FactRow::level(std::optional<double> value) const {
  if (!value) return FactLevel::kNotWatched;
  const auto from = [&](double threshold) { return *value > 0 && *value >= threshold; };
  if (from(unusable)) return FactLevel::kUnusable;
  if (from(doubtful)) return FactLevel::kDoubtful;
  if (from(reported)) return FactLevel::kReported;
  return from(seen) ? FactLevel::kSeen : FactLevel::kFine;
}

std::span<const FactRow, kFactCount> facts() { return kRows; }

const FactRow& row_of(Fact fact) { return kRows[static_cast<std::size_t>(fact)]; }

const FactRow* fact_of_flag(std::string_view flag) {
  const auto found = std::ranges::find(kRows, flag, &FactRow::flag);
  return flag.empty() || found == kRows.end() ? nullptr : &*found;
}

std::optional<double> Quality::value(Fact fact) const {
  const FactRow& row = row_of(fact);
  const std::optional<double> number = number_of(machine_, row.name);
  const auto of_life = [&](std::optional<double> ns) {
    return ns && wall_ns_ > 0 ? std::optional(*ns / static_cast<double>(wall_ns_)) : std::nullopt;
  };
  switch (fact) {
    case Fact::kWaited: {  // in the windows; over the whole launch if their borders are unknown
      const auto waited = number_of(machine_, "window_run_queue_wait_ns");
      const double windows = number_of(machine_, "window_ns").value_or(0);
      return waited && windows > 0 ? std::optional(*waited / windows)
                                   : of_life(number_of(machine_, "run_queue_wait_ns"));
    }
    case Fact::kQuota:
      return of_life(number);
    case Fact::kThrottled:
      if (!machine_.contains(row.name)) return std::nullopt;
      return text_of(machine_, row.name) == "no" ? 0 : 1;
    case Fact::kPagedIn: {
      const auto faults = report_.metrics.find(row.name);
      return faults == report_.metrics.end() ? std::nullopt : faults->second;
    }
    case Fact::kLost:  // kLost and kMemoryErrors are only written if they occurred
      if (machine_.contains(row.name)) return 1;
      return machine_.contains("gpu.samples") ? std::optional(0.0) : std::nullopt;
    case Fact::kGrowth: {
      const auto peak = report_.metrics.find(kJobPeak);
      const double steps = number_of(report_.schedule, "active").value_or(0);
      if (!number || steps <= 0 || peak == report_.metrics.end()) return std::nullopt;
      // The memory held by the worker process excludes a heap that becomes more scattered.
      const auto held = report_.metrics.find("held_growth_bytes");
      const double own = number_of(machine_, "window_own_growth_bytes").value_or(0);
      const bool known = held != report_.metrics.end() && held->second;
      const double scattered = known ? own - std::clamp(*held->second, 0.0, own) : 0;
      const double growth = *number - scattered;
      return growth < kFillsUp * peak->second.value_or(0) ? 0 : growth / steps;
    }
    case Fact::kMemoryErrors:
      return number || text_of(machine_, "gpu.ecc") != "true" ? number : std::optional(0.0);
    default:
      return number;
  }
}

FactLevel Quality::level(Fact fact) const {
  const FactRow& row = row_of(fact);
  const bool flagged =
      !row.flag.empty() && std::ranges::find(report_.flags, row.flag) != report_.flags.end();
  FactLevel level = row.level(value(fact));
  // A requested background load explains waiting for a CPU, unless others are known to have used
  // the CPUs too.
  if (fact == Fact::kWaited && machine_.contains("background_cpus") &&
      row_of(Fact::kOthers).level(value(Fact::kOthers)) < FactLevel::kReported) {
    level = std::min(level, FactLevel::kFine);
  }
  return flagged ? std::max(level, FactLevel::kReported) : level;
}

namespace {

const std::vector<std::int64_t>& period_of(const Series& cycle) {
  const std::vector<std::int64_t>* on_device = cycle.find("period_device_ns");
  return on_device != nullptr ? *on_device : cycle.column("step_ns");
}

}  // namespace

schedule::WarmupVerdict judge_windows(std::span<const Series> cycles, std::int64_t block_steps) {
  schedule::WarmupVerdict worst;
  for (const Series& cycle : cycles) {
    const std::vector<std::int64_t> none(cycle.steps(), 0);
    const std::vector<std::int64_t>* flags = cycle.find("flags");
    worst = schedule::worse(
        worst,
        schedule::judge_warmup(period_of(cycle), flags != nullptr ? *flags : none, block_steps));
  }
  return worst;
}

void put_warmup(const schedule::WarmupVerdict& verdict, LaunchReport& report) {
  report.schedule["warmup_verdict"] = std::string(name_of(verdict.kind));
  report.schedule["warmup_more"] = verdict.more_steps;
  report.schedule["warmup_change"] = verdict.change;
  if (verdict.kind == schedule::WarmupVerdict::Kind::kTooShort) {
    report.flags.emplace_back(launch_flag::kWarmupTooShort);
  }
  if (verdict.kind == schedule::WarmupVerdict::Kind::kDrifting) {
    report.flags.emplace_back(launch_flag::kDrifting);
  }
  if (verdict.first_step_slow) report.flags.emplace_back(launch_flag::kFirstStepSlow);
}

}  // namespace stepbench::record
