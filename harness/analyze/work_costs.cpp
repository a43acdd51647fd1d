// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/work_costs.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
namespace {

// "aten::mm [8, 32] [32, 64] fp32"
std::string name_of_shape(const trace::Trace& trace, const EfficiencyRow& row) {
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

class Costs {
 public:
  template <typename Row>
  void add(CostKind kind, std::string name, std::string phase, const Row& row, double work) {
    if (row.in_steps.calls == 0) return;
    const auto [at, is_new] = costs_.try_emplace(std::tuple(kind, name, phase));
    NamedCost& cost = at->second;
    if (is_new) {
      cost = {.kind = kind,
              .name = std::move(name),
              .phase = std::move(phase),
              .steps = row.in_steps.of,
              .work = work};
      return;
    }
    for (const auto& [step, share] : row.in_steps.of) cost.steps[step] += share;
    cost.work += work;
  }

  [[nodiscard]] std::vector<NamedCost> take() {
    std::vector<NamedCost> out;
    for (auto& [key, cost] : costs_) out.push_back(std::move(cost));
    return out;
  }

 private:
  std::map<std::tuple<CostKind, std::string, std::string>, NamedCost> costs_;
};

}  // namespace

std::vector<NamedCost> work_costs(const trace::Trace& trace, const Analysis& analysis) {
  Costs costs;
  if (analysis.efficiency) {
    for (const EfficiencyRow& row : analysis.efficiency->rows) {
      costs.add(CostKind::kShape, name_of_shape(trace, row), row.backward ? "backward" : "forward",
                row, double(row.flops()) * double(row.in_steps.calls));
    }
  }
  if (analysis.collectives) {
    for (const CollectiveRow& row : *analysis.collectives) {
      const double bytes = double(std::max<std::int64_t>(row.facts.bytes, 0));
      costs.add(CostKind::kCollective, name_of_collective(row.facts), row.facts.group, row,
                bytes * row.facts.bus_factor().value_or(0) * double(row.in_steps.calls));
    }
  }
  return costs.take();
}

}  // namespace stepbench::analyze
