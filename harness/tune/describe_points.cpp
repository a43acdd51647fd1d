// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/describe_points.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "harness/estimate/case_rows.h"
#include "harness/stats/order.h"
#include "harness/tune/launched.h"

namespace stepbench::tune {
namespace {

constexpr double kLaunchesOfSweep = 6;

TunedPoint described(const plan::Plan& plan, std::size_t place, const PointState& state,
                     const std::vector<Rung>& rungs) {
  const ResolvedCase& resolved = plan.cases[place].resolved;
  TunedPoint point{
      .case_id = resolved.case_id,
      .label = estimate::case_label(resolved.options, plan.varying, resolved.case_id.substr(0, 6)),
      .state = state};
  for (const std::string& name : plan.varying) {
    const Value* value = resolved.options.get(name);
    if (value != nullptr) point.values.insert_or_assign(name, *value);
  }
  if (!state.values.empty()) point.value = stats::median(state.values);
  for (std::size_t rung = 0; rung < rungs.size(); ++rung) {
    if (std::ranges::count(rungs[rung].points, place) > 0) point.last_rung = rung;
  }
  return point;
}

// By what launches of each point took so far; of those that have none, by the mean of the others.
double sweep_s_of(const std::vector<PointState>& states) {
  double sum_s = 0;
  double known = 0;
  for (const PointState& state : states) {
    if (state.values.empty()) continue;
    sum_s += stats::median(state.wall_s);
    ++known;
  }
  if (known == 0) return 0;
  return sum_s / known * kLaunchesOfSweep * static_cast<double>(states.size());
}

// No point of it is worse than another one in the objective, in memory and in CPU time.
std::vector<std::size_t> front_of(const std::vector<TunedPoint>& points, Direction direction) {
  const auto costs_of = [&](const TunedPoint& point) {
    return std::vector<double>{log_cost(*point.value, direction), point.state.memory_bytes,
                               point.state.cpu_s_per_1k_samples.value_or(0)};
  };
  const auto is_candidate = [](const TunedPoint& point) {
    return point.state.fate == Fate::kMeasured && point.state.values.size() > 1;
  };
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_candidate(points[i])) continue;
    const std::vector<double> ours = costs_of(points[i]);
    const bool beaten = std::ranges::any_of(points, [&](const TunedPoint& other) {
      if (!is_candidate(other)) return false;
      const std::vector<double> theirs = costs_of(other);
      return theirs != ours && std::ranges::equal(theirs, ours, std::ranges::less_equal{});
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

std::vector<std::string> changes_of(const TunedPoint& winner, const TunedPoint& own) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : winner.values) {
    const auto was = own.values.find(name);
    if (is_null(value) || (was != own.values.end() && was->second == value)) continue;
    changes.push_back(name + "=" + to_text(value));
  }
  return changes;
}

}  // namespace

void describe_points(const plan::Plan& plan, const std::vector<PointState>& states, TuneRun& run) {
  for (std::size_t place = 0; place < states.size(); ++place) {
    run.points.push_back(described(plan, place, states[place], run.rungs));
  }
  run.sweep_s = sweep_s_of(states);
  run.front = front_of(run.points, run.objective.direction);
  if (const TunedPoint* winner = run.winner())
    run.changes = changes_of(*winner, run.points[run.own]);
}

}  // namespace stepbench::tune
