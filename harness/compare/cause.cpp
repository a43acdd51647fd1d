// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/cause.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/estimate/step_times.h"
#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"

namespace stepbench::compare {
namespace {

constexpr double kMinCauseShare = 0.1;

struct Launches {
  std::vector<double> step;
  std::map<std::string, std::vector<double>, std::less<>> phases;  // 0 where a launch lacks it
};

// A latency is without the wait for data; on the device the phases are those that sum to its step.
Launches read(const estimate::Estimates& estimates, estimate::StepClock clock) {
  Launches result;
  for (const auto& estimate : estimates) {
    if (!estimate) continue;
    const bool device = clock == estimate::StepClock::kDevice;
    for (const estimate::PhaseTime& phase : device ? estimate->device_phases : estimate->phases) {
      if (estimate->latency && phase.name == "data_wait") continue;
      auto& values = result.phases[phase.name];
      values.resize(result.step.size(), 0.0);
      values.push_back(static_cast<double>(phase.ns) / static_cast<double>(estimate->steps));
    }
    result.step.push_back(estimate::headline_ns(*estimate, clock));
  }
  for (auto& [name, values] : result.phases) values.resize(result.step.size(), 0.0);
  return result;
}

stats::HodgesLehmann difference(const std::vector<double>& a, const std::vector<double>& b,
                                double confidence, Design design) {
  if (design == Design::kSequential) return stats::hodges_lehmann(a, b, confidence);
  std::vector<double> differences(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = b[i] - a[i];
  return stats::hodges_lehmann(differences, confidence);
}

}  // namespace

std::vector<PhaseChange> phase_changes(const CasePair& pair, double confidence, Design design) {
  const estimate::Estimates before = estimate::estimates_of(pair.base.measured);
  const estimate::Estimates after = estimate::estimates_of(pair.candidate.measured);
  const estimate::StepTimes times = estimate::step_times(before, after);
  if (times.mixed) return {};
  Launches base = read(before, times.clock);
  Launches candidate = read(after, times.clock);
  std::vector<PhaseChange> changes;
  if (base.step.empty() || candidate.step.empty()) return changes;
  for (const auto& [name, values] : base.phases) {
    candidate.phases.try_emplace(name, candidate.step.size(), 0.0);
  }
  const double whole = difference(base.step, candidate.step, confidence, design).centre;
  for (const auto& [name, to] : candidate.phases) {
    const auto& from = base.phases.try_emplace(name, base.step.size(), 0.0).first->second;
    const stats::HodgesLehmann estimate = difference(from, to, confidence, design);
    changes.push_back({.phase = name,
                       .base_ns = stats::median(from),
                       .candidate_ns = stats::median(to),
                       .change_ns = estimate.centre,
                       .interval_ns = estimate.interval,
                       .share = whole == 0 ? 0 : estimate.centre / whole});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const PhaseChange& a, const PhaseChange& b) {
    return std::abs(a.change_ns) > std::abs(b.change_ns);
  });
  return changes;
}

std::vector<PhaseChange> explaining(std::vector<PhaseChange> changes) {
  std::erase_if(changes, [](const PhaseChange& change) {
    const bool may_be_nothing = change.interval_ns.low <= 0 && change.interval_ns.high >= 0;
    return std::abs(change.share) < kMinCauseShare || may_be_nothing;
  });
  return changes;
}

}  // namespace stepbench::compare
