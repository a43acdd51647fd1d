// SPDX-License-Identifier: Apache-2.0
#include "harness/run/profile_check.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "harness/base/launch_flags.h"
#include "harness/estimate/step_times.h"
#include "harness/record/fingerprint.h"
#include "harness/stats/order.h"

namespace stepbench::run {
namespace {

// Tolerance: a different summation order changes less; a different sample order or model more.
constexpr double kSameLoss = 1e-3;

// Losses are comparable only after equally many steps.
bool same_steps(const record::LaunchReport& a, const record::LaunchReport& b) {
  const auto first = a.schedule.find("steps");
  const auto second = b.schedule.find("steps");
  return first != a.schedule.end() && second != b.schedule.end() && first->second == second->second;
}

bool computes_another(const record::Launch& profiled, std::vector<const record::Launch*> timed) {
  std::erase_if(timed, [&](const record::Launch* each) {
    return !same_steps(profiled.row.report, each->row.report);
  });
  const record::Launch* const own[] = {&profiled};
  const record::Fingerprints ours = record::fingerprints_of(own);
  const record::Fingerprints theirs = record::fingerprints_of(timed);
  const auto a = ours.find("loss");
  const auto b = theirs.find("loss");
  if (a == ours.end() || b == theirs.end()) return false;
  const double limit =
      std::max(kSameLoss, record::precision_limit(record::precision_of(profiled.row)));
  return record::relative_difference(a->second.value, b->second.value) >
         record::same_within(limit, b->second.spread);
}

std::vector<const record::Launch*> timed_launches(const record::LaunchKey& key,
                                                  const record::Results& finished) {
  std::vector<const record::Launch*> found;
  for (const record::Launch& launch : finished.launches) {
    const record::LaunchKey& other = launch.row.key;
    if (other.pass == Pass::kTiming && other.case_id == key.case_id && other.arm == key.arm &&
        other.rank == key.rank && launch.row.outcome.kind == Outcome::Kind::kMeasured) {
      found.push_back(&launch);
    }
  }
  return found;
}

// A profiled launch on a device has no events. It shares with the timed ones only the time of a
// window between two moments at which the device was idle.
double overhead_of(const record::Launch& profiled,
                   const std::vector<const record::Launch*>& timed) {
  const record::Launch* const own[] = {&profiled};
  const estimate::Estimates base = estimate::estimates_of(timed);
  const estimate::Estimates candidate = estimate::estimates_of(own);
  const estimate::StepTimes times = estimate::step_times(base, candidate);
  const estimate::StepClock clock = times.mixed ? estimate::StepClock::kDrained : times.clock;
  std::vector<double> steps;
  for (const auto& estimate : base) {
    const double step = estimate ? estimate::headline_ns(*estimate, clock) : std::nan("");
    if (!std::isnan(step)) steps.push_back(step);
  }
  if (steps.empty() || !candidate.front()) return std::nan("");
  return estimate::headline_ns(*candidate.front(), clock) / stats::median(steps);
}

}  // namespace

void check_profile(record::Launch& profiled, const record::Results& finished) {
  if (!is_profiling(profiled.row.key.pass)) return;
  if (profiled.row.outcome.kind != Outcome::Kind::kMeasured) return;
  const std::vector<const record::Launch*> timed = timed_launches(profiled.row.key, finished);
  const bool mismatch = computes_another(profiled, timed);
  record::LaunchReport& report = profiled.row.report;
  const double overhead = overhead_of(profiled, timed);
  if (std::isfinite(overhead)) {
    report.metrics["profile_overhead"] = overhead;
    if (overhead > kMaxPerturbation) report.flags.emplace_back(launch_flag::kPerturbed);
  }
  if (mismatch) {
    report.flags.emplace_back(launch_flag::kProfileMismatch);
    profiled.ops.clear();
    report.notes.emplace_back(
        "the profiled launch computed another loss than the timing launches: its table of "
        "operations was left out");
  }
}

}  // namespace stepbench::run
