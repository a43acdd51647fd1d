// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/ops_charts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/call_tree.h"
#include "harness/report/html/call_charts.h"
#include "harness/report/ops_columns.h"
#include "harness/report/ops_report.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxProfiledDrawn = 8;
constexpr std::size_t kMaxOpRows = 300;  // of a table: sorted by time, the last take next to none

std::string sums_text(const estimate::ProfiledCase& profiled, std::int64_t steps) {
  const ops::OpTotals totals = ops::totals_of(profiled.table.rows);
  std::string text = text::counted(steps, "profiled step") + ". Sums over them: self CPU " +
                     text::duration(static_cast<double>(totals.self_cpu_ns));
  if (totals.self_device_ns > 0) {
    text += ", self CUDA " + text::duration(static_cast<double>(totals.self_device_ns));
  }
  if (totals.flops > 0)
    text += ", " + operations_text(static_cast<double>(totals.flops)) + " FLOPs";
  return text + '.';
}

void add_case(const estimate::ProfiledCase& profiled, bool folded,
              std::vector<document::Block>& blocks) {
  const std::string name = heading(profiled);
  blocks.emplace_back(
      document::Paragraph{name + ": " + sums_text(profiled, steps_in(profiled.table))});
  const auto add = [&](std::optional<document::Figure> figure) {
    if (!figure) return;
    figure->title += ": " + profiled.label;
    figure->folded = folded;
    blocks.emplace_back(std::move(*figure));
  };
  const std::vector<ops::CallNode> calls = ops::call_tree(profiled.table);
  add(flame_figure(calls, OpTime::kHost));
  add(flame_figure(calls, OpTime::kDevice));
  if (calls.empty()) {
    blocks.emplace_back(document::Paragraph{
        "No flame view: this was recorded before stepbench kept which call made which; "
        "measure again with --profile."});
  }
  add(treemap_figure(profiled.table, OpTime::kHost));
  add(treemap_figure(profiled.table, OpTime::kDevice));
  add(memory_figure(profiled.table));
  blocks.emplace_back(ops_table(profiled, "Operations: " + profiled.label, kMaxOpRows));
}

}  // namespace

std::optional<document::Chapter> ops_section(const record::Results& results,
                                             const DrawOptions& /*options*/) {
  const bool any = std::any_of(results.launches.begin(), results.launches.end(),
                               [](const record::Launch& launch) { return !launch.ops.empty(); });
  if (!any) return std::nullopt;
  document::Chapter section{.id = "operations", .title = "Operations", .blocks = {}};
  const std::vector<estimate::ProfiledCase> cases = estimate::profiled_cases(results, "");
  section.blocks.emplace_back(document::Paragraph{
      "From launches of their own that record every operation: they say where the time "
      "of a step goes, not how long it takes."});
  for (std::size_t i = 0; i < std::min(cases.size(), kMaxProfiledDrawn); ++i) {
    add_case(cases[i], i > 0, section.blocks);
  }
  if (cases.size() > kMaxProfiledDrawn) {
    section.blocks.emplace_back(document::Paragraph{
        "The first " + std::to_string(kMaxProfiledDrawn) + " of " + std::to_string(cases.size()) +
        " profiled cases are drawn; `stepbench show --ops --case ID` has each."});
  }
  return section;
}

}  // namespace stepbench::report
