// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/step_costs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/text/numbers.h"
#include "harness/traces/internal/host_activity.h"
#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {
namespace {

constexpr std::string_view kOwnPhasePrefix = "stepbench::";

// The phase that a row gives to the rows inside it; empty: none.
std::string_view phase_named_by(const Timeline& timeline, const TraceEvent& row) {
  const TraceName& name = timeline.trace->names[timeline.shown_name(row)];
  if (name.facts.data_wait) return "data_wait";
  if (name.facts.optimizer) return "optimizer";
  if (name.facts.autograd) return "backward";
  const std::string_view text = name.text;
  if (text.starts_with(kOwnPhasePrefix)) return text.substr(kOwnPhasePrefix.size());
  if (row.kind == EventKind::kAnnotation && !name.facts.communication) return text;
  return {};
}

// The phase of each row of a thread: that of the outermost row around it with a phase.
class PhasesOfRows {
 public:
  explicit PhasesOfRows(const Timeline& timeline) : timeline_(timeline) {}

  [[nodiscard]] std::unordered_map<const TraceEvent*, std::string_view> of(const TraceLane& lane) {
    std::unordered_map<const TraceEvent*, std::string_view> phases;
    std::vector<std::pair<std::int64_t, std::string_view>> open;  // end, phase
    for (const TraceEvent& event : lane.events) {
      if (!is_host_op(*timeline_.trace, event)) continue;
      while (!open.empty() && open.back().first <= event.start_ns) open.pop_back();
      const std::string_view outer = open.empty() ? std::string_view{} : open.back().second;
      phases.emplace(&event, outer);
      open.emplace_back(event.end_ns, outer.empty() ? phase_named_by(timeline_, event) : outer);
    }
    return phases;
  }

 private:
  const Timeline& timeline_;
};

// "aten::mm [8, 32] [32, 64] fp32"
std::string name_of_shape(const Trace& trace, const EfficiencyRow& row) {
  std::string name = trace.names[row.name].text;
  name += ' ' + tensor_shapes(trace.text(row.shapes));
  if (row.dtype != ops::Dtype::kUnknown) name += ' ' + std::string(name_of(row.dtype));
  return name;
}

// "allreduce 25.0 MiB fp32"
std::string name_of_collective(const ExchangeFacts& facts) {
  std::string name = facts.name;
  if (facts.bytes >= 0) name += ' ' + text::byte_text(double(facts.bytes));
  if (facts.dtype != ops::Dtype::kUnknown) name += ' ' + std::string(name_of(facts.dtype));
  return name;
}

class CostTable {
 public:
  CostTable(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline), windows_(steps.counted_windows()) {}

  void add_operators() {
    const Trace& trace = *timeline_.trace;
    for (const TraceLane& lane : trace.lanes) {
      if (lane.kind != LaneKind::kHost) continue;
      const auto phases = PhasesOfRows(timeline_).of(lane);
      for (const auto& [row, phase] : phases) {
        const auto step = window_at(windows_, row->start_ns);
        if (step) ++of(CostKind::kOperator, timeline_.shown_name(*row), phase).steps[*step].calls;
      }
      const std::vector<InnerRow> stretches = innermost_rows(trace, lane, false);
      for_each_piece(
          windows_, stretches, [](const InnerRow& stretch) { return stretch.at; },
          [&](const TimeSpan& piece, std::size_t i) {
            const TraceEvent* row = stretches[i].row;
            const auto phase = phases.find(row);
            NamedCost& cost = of(CostKind::kOperator, timeline_.shown_name(*row),
                                 phase == phases.end() ? std::string_view{} : phase->second);
            cost.steps[window_at(windows_, piece.begin_ns).value()].ns += piece.length_ns();
          });
    }
  }

  void add_calls() {
    for (const CallRow& call : timeline_.calls)
      add(CostKind::kCall, *call.event, call.event->start_ns);
  }

  void add_kernels() {
    for (const WorkRow& row : timeline_.work) {
      add(CostKind::kKernel, *row.event, timeline_.placed_by_ns(row));
    }
  }

  void add_shapes(const Efficiency& efficiency) {
    for (const EfficiencyRow& row : efficiency.rows) {
      add(CostKind::kShape, name_of_shape(*timeline_.trace, row),
          row.backward ? "backward" : "forward", row.in_steps,
          double(row.flops()) * double(row.in_steps.calls));
    }
  }

  void add_collectives(const std::vector<CollectiveRow>& rows) {
    for (const CollectiveRow& row : rows) {
      const double bytes = double(std::max<std::int64_t>(row.facts.bytes, 0));
      add(CostKind::kCollective, name_of_collective(row.facts), row.facts.group, row.in_steps,
          bytes * row.facts.bus_factor().value_or(0) * double(row.in_steps.calls));
    }
  }

  [[nodiscard]] std::vector<NamedCost> take() {
    std::vector<NamedCost> out;
    for (auto& [key, cost] : costs_) out.push_back(std::move(cost));
    for (auto& [key, cost] : by_text_) out.push_back(std::move(cost));
    std::ranges::sort(out, [](const NamedCost& a, const NamedCost& b) {
      return std::tie(a.kind, a.name, a.phase) < std::tie(b.kind, b.name, b.phase);
    });
    return out;
  }

 private:
  using Key = std::tuple<CostKind, std::uint32_t, std::string_view>;

  void add(CostKind kind, const TraceEvent& row, std::int64_t placed_by_ns) {
    const auto step = window_at(windows_, placed_by_ns);
    if (!step) return;
    of(kind, row.name, {}).steps[*step] += {.calls = 1, .ns = row.duration_ns()};
  }

  void add(CostKind kind, std::string name, std::string phase, const InSteps& in_steps,
           double work) {
    if (in_steps.calls == 0) return;
    NamedCost& cost = by_text_[{kind, name, phase}];
    cost.kind = kind;
    cost.name = std::move(name);
    cost.phase = std::move(phase);
    cost.work += work;
    for (const auto& [step, share] : in_steps.of) cost.steps[step] += share;
  }

  NamedCost& of(CostKind kind, std::uint32_t name, std::string_view phase) {
    const auto [at, is_new] = costs_.try_emplace(Key{kind, name, phase});
    if (is_new) {
      at->second = {
          .kind = kind, .name = timeline_.trace->names[name].text, .phase = std::string(phase)};
    }
    return at->second;
  }

  const Timeline& timeline_;
  std::vector<TimeSpan> windows_;  // the counted steps'
  std::map<Key, NamedCost> costs_;
  std::map<std::tuple<CostKind, std::string, std::string>, NamedCost> by_text_;
};

}  // namespace

std::vector<NamedCost> step_costs(const Timeline& timeline, const Analysis& analysis) {
  CostTable table(timeline, analysis.steps);
  table.add_operators();
  table.add_kernels();
  table.add_calls();
  if (analysis.efficiency) table.add_shapes(*analysis.efficiency);
  if (analysis.collectives) table.add_collectives(*analysis.collectives);
  return table.take();
}

}  // namespace stepbench::traces
