// SPDX-License-Identifier: Apache-2.0
// The sides of a comparison: what is kept of each trace, and which of two folders belong together.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/compare_traces.h"
#include "harness/traces/internal/name_facts.h"
#include "harness/traces/internal/nesting.h"

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
    for (const TraceLane& lane : timeline_.trace->host_lanes()) {
      const Nesting rows(
          lane, [&](const TraceEvent& event) { return is_host_op(*timeline_.trace, event); });
      std::vector<std::string_view> phases;  // of the outermost row around each with a phase
      std::vector<NamedCost*> costs;
      for (const auto& [event, parent] : rows.rows()) {
        std::string_view phase;
        if (parent != ops::kNoIndex) {
          phase = phases[parent].empty() ? phase_named_by(timeline_, *rows[parent].event)
                                         : phases[parent];
        }
        phases.push_back(phase);
        costs.push_back(&of(CostKind::kOperator, timeline_.shown_name(*event), phase));
        const auto step = window_at(windows_, event->start_ns);
        if (step) ++costs.back()->steps[*step].calls;
      }
      const std::vector<Nesting::Piece> pieces = rows.pieces();
      for_each_piece(
          windows_, pieces, [](const Nesting::Piece& piece) { return piece.at; },
          [&](const TimeSpan& part, std::size_t i) {
            StepShares& steps = costs[pieces[i].row]->steps;
            steps[window_at(windows_, part.begin_ns).value()].ns += part.length_ns();
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
    for (auto& [key, cost] : costs_) {
      if (!cost.steps.empty()) out.push_back(std::move(cost));
    }
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

std::vector<NamedCost> step_costs(const Timeline& timeline, const Analysis& analysis) {
  CostTable table(timeline, analysis.steps);
  table.add_operators();
  table.add_kernels();
  table.add_calls();
  if (analysis.efficiency) table.add_shapes(*analysis.efficiency);
  if (analysis.collectives) table.add_collectives(*analysis.collectives);
  return table.take();
}

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

DiffSide diff_side(const std::string& path, const Trace& trace, const Analysis& analysis,
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
  if (trace.own && !trace.own_fact("case_id").empty()) {
    side.own_case = formatted("case {} {}", trace.own_fact("case_id"), trace.own_fact("engine"));
  }
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

namespace {

// "worker0" of "worker0.1623143089861.pt.trace.json.gz"
std::string worker_of(const DiffSide& side) {
  std::string name = std::filesystem::path(side.paths.front()).filename().string();
  for (const char* suffix : {".gz", ".json", ".sqlite", ".trace", ".pt"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - std::string_view(suffix).size());
  }
  const std::size_t dot = name.rfind('.');
  const bool is_time = dot != std::string::npos && dot + 1 < name.size() &&
                       name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_time ? name.substr(0, dot) : name;
}

bool are_ranks(const std::vector<DiffSide>& sides) {
  std::set<std::int64_t> ranks;
  return std::ranges::all_of(
      sides, [&](const DiffSide& each) { return each.rank && ranks.insert(*each.rank).second; });
}

using SidesByKey = std::map<std::string, DiffSide>;

SidesByKey keyed(std::vector<DiffSide> sides, bool own, bool ranks) {
  SidesByKey by_key;
  for (DiffSide& each : sides) {
    std::string key = worker_of(each);
    const std::string rank = each.rank ? formatted("rank {}", *each.rank) : std::string();
    if (own) {
      key = each.own_case;
      if (each.world.value_or(1) > 1) key += ", " + rank;
    } else if (ranks) {
      key = rank;
    }
    const auto [at, is_new] = by_key.try_emplace(key);
    if (is_new) {
      at->second = std::move(each);
    } else {
      at->second.append(std::move(each));
    }
  }
  return by_key;
}

std::string keys_of(const SidesByKey& sides) {
  return text::join(sides, ", ", [](const auto& each) { return each.first; });
}

}  // namespace

DiffPairs pair_sides(std::vector<DiffSide> bases, std::vector<DiffSide> news) {
  const auto is_own = [](const DiffSide& each) { return !each.own_case.empty(); };
  const bool own = std::ranges::all_of(bases, is_own) && std::ranges::all_of(news, is_own);
  const bool ranks = are_ranks(bases) && are_ranks(news);
  SidesByKey base = keyed(std::move(bases), own, ranks);
  SidesByKey next = keyed(std::move(news), own, ranks);
  DiffPairs found;
  if (base.size() == 1 && next.size() == 1) {
    found.pairs.emplace_back(std::move(base.begin()->second), std::move(next.begin()->second));
    return found;
  }
  for (auto& [key, side] : next) {
    const auto other = base.find(key);
    if (other == base.end()) {
      found.unmatched.push_back(key + " (only in new)");
    } else {
      found.pairs.emplace_back(std::move(other->second), std::move(side));
    }
  }
  if (found.pairs.empty()) {
    throw ConfigError("--diff", formatted("no trace has a counterpart; new has {}; base has {}",
                                          keys_of(next), keys_of(base)));
  }
  for (const auto& [key, side] : base) {
    if (!next.contains(key)) found.unmatched.push_back(key + " (only in base)");
  }
  return found;
}

}  // namespace stepbench::traces
