// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/call_tree.h"
#include "harness/ops/module_tree.h"
#include "harness/report/html/profile_charts.h"
#include "harness/report/html/run_sections.h"
#include "harness/report/ops_columns.h"
#include "harness/report/ops_report.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxProfiledDrawn = 8;
constexpr std::size_t kMaxOpRows = 300;  // per table, by time: the rest takes hardly any

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

void add_case(const estimate::ProfiledCase& profiled, std::size_t place, json::JsonText& charts,
              std::vector<document::Block>& blocks) {
  const std::int64_t steps = ops::make_module_tree(profiled.table, 0).steps;
  blocks.emplace_back(document::Paragraph{heading(profiled) + ": " + sums_text(profiled, steps)});
  const std::vector<ops::CallNode> calls = ops::call_tree(profiled.table);
  if (calls.empty()) {
    blocks.emplace_back(document::Paragraph{
        "No flame view: this was recorded before stepbench kept which call made which; "
        "measure again with --profile."});
  }
  for (document::Figure& figure : profile_figures(profiled.table, calls, place, charts)) {
    figure.title += ": " + profiled.label;
    figure.folded = place > 0;
    blocks.emplace_back(std::move(figure));
  }
  blocks.emplace_back(ops_table(profiled, "Operations: " + profiled.label, kMaxOpRows));
}

}  // namespace

std::optional<document::Chapter> ops_section(const record::Results& results,
                                             json::JsonText& charts) {
  const bool any = std::any_of(results.launches.begin(), results.launches.end(),
                               [](const record::Launch& launch) { return !launch.ops.empty(); });
  if (!any) return std::nullopt;
  document::Chapter section{.id = "operations", .title = "Operations", .blocks = {}};
  const std::vector<estimate::ProfiledCase> cases = estimate::profiled_cases(results, "");
  section.blocks.emplace_back(document::Paragraph{
      "From launches of their own that record every operation: they say where the time "
      "of a step goes, not how long it takes."});
  charts.open_array("profiles");
  for (std::size_t i = 0; i < std::min(cases.size(), kMaxProfiledDrawn); ++i) {
    add_case(cases[i], i, charts, section.blocks);
  }
  charts.close_array();
  if (cases.size() > kMaxProfiledDrawn) {
    section.blocks.emplace_back(document::Paragraph{
        "The first " + std::to_string(kMaxProfiledDrawn) + " of " + std::to_string(cases.size()) +
        " profiled cases are drawn; `stepbench show --ops --case ID` has each."});
  }
  return section;
}

}  // namespace stepbench::report
