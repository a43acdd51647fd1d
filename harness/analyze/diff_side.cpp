// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "harness/analyze/diff.h"

namespace stepbench::analyze {
namespace {

void append_costs(std::vector<NamedCost>& all, std::size_t steps_before,
                  std::vector<NamedCost> more) {
  std::vector<NamedCost> out;
  for_each_key(all, more, [&](NamedCost* old, const NamedCost* added) {
    NamedCost cost =
        old != nullptr ? std::move(*old)
                       : NamedCost{.kind = added->kind, .name = added->name, .phase = added->phase};
    if (added != nullptr) {
      for (const auto& [step, share] : added->steps) cost.steps[steps_before + step] = share;
      cost.work += added->work;
    }
    out.push_back(std::move(cost));
  });
  all = std::move(out);
}

}  // namespace

DiffSide diff_side(const std::string& path, const trace::Trace& trace, const Analysis& analysis,
                   const std::vector<Finding>& findings, std::optional<int> device) {
  DiffSide side{.paths = {path},
                .window = analysis.steps.window,
                .with_shapes = trace.with_shapes,
                .with_stack = trace.with_stack,
                .with_memory = trace.with_memory,
                .python_rows = analysis.counts.python > 0,
                .resolution_ns = trace.resolution_ns,
                .rank = trace.rank,
                .world = trace.world,
                .findings = findings};
  for (const IntegrityNote& each : analysis.integrity) {
    if (each.level == IntegrityLevel::kError) side.damage.push_back(each.text);
    if (each.level == IntegrityLevel::kWarning) ++side.doubts;
  }
  for (const int id : analysis.devices) {
    const ops::TraceDevice* known = trace.device(id);
    if (known != nullptr && !known->name.empty()) side.devices.push_back(known->name);
  }
  const IdleReport* idle = analysis.idle_of(device);
  if (idle == nullptr) return side;
  side.scope = idle->scope;
  const std::vector<Step>& steps = analysis.steps.steps;
  for (const std::size_t i : analysis.steps.counted()) {
    side.steps.push_back(idle->steps[i]);
    if (steps[i].edge && steps.size() > 1 && !analysis.steps.chosen) side.only_edges = true;
  }
  side.steps_of = {side.steps.size()};
  Timeline timeline(trace);
  fold_counting_names(analysis.steps, timeline);
  side.costs = step_costs(timeline, analysis);
  return side;
}

void DiffSide::append(DiffSide more) {
  const std::size_t before = steps.size();
  paths.insert(paths.end(), more.paths.begin(), more.paths.end());
  damage.insert(damage.end(), more.damage.begin(), more.damage.end());
  doubts += more.doubts;
  only_edges = only_edges || more.only_edges;
  steps_of.insert(steps_of.end(), more.steps_of.begin(), more.steps_of.end());
  steps.insert(steps.end(), more.steps.begin(), more.steps.end());
  append_costs(costs, before, std::move(more.costs));
}

}  // namespace stepbench::analyze
