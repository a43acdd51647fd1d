// SPDX-License-Identifier: Apache-2.0
#include "harness/report/worker_lines.h"

#include <string>
#include <vector>

#include "harness/base/pass.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/ops/sampled_lines.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench {
namespace {

constexpr std::size_t kMostLines = 12;

std::vector<SampledLine> lines_of(const CaseRow& row, const Results& results) {
  std::vector<OpFrame> frames;
  for (const Launch& launch : results.launches) {
    const LaunchKey& key = launch.row.key;
    const bool same_run =
        launch.run < results.runs.size() && results.runs[launch.run].run_id == row.run_id;
    if (!is_profiling(key.pass) || key.case_id != row.case_id || key.arm != row.arm || !same_run) {
      continue;
    }
    for (const OpFrame& frame : launch.ops) {
      if (frame.table == "stacks") frames.push_back(frame);
    }
  }
  return sampled_lines(op_table_of(frames));
}

}  // namespace

Grid worker_lines(const CaseRow& row, const Results& results) {
  Grid grid{
      .columns =
          {{.head = "share [%]"},
           {.head = "samples", .drop_at = 30},
           {.head = "part", .align = Align::kLeft, .drop_at = 40},
           {.head = "line", .align = Align::kLeft},
           {.head = "code", .align = Align::kLeft, .drop_at = 20, .shrink_at = 10, .shrink_to = 24},
           {.head = "in", .align = Align::kLeft, .drop_at = 10}},
      .rows = {}};
  const std::vector<SampledLine> lines = lines_of(row, results);
  std::int64_t all = 0;
  for (const SampledLine& line : lines) all += line.samples;
  std::int64_t left = all;
  const auto add = [&](std::int64_t samples, std::vector<std::string> others) {
    const double share = static_cast<double>(samples) / static_cast<double>(all);
    GridRow& out = grid.rows.emplace_back();
    out.cells = {percent(share), std::to_string(samples)};
    for (std::string& cell : others) out.cells.push_back(printable(cell));
    left -= samples;
  };
  for (const SampledLine& line : lines) {
    if (grid.rows.size() == kMostLines) break;
    add(line.samples, {line.part, line.place, line.code, line.calls});
  }
  if (left > 0) add(left, {"", "(other lines)", "", ""});
  return grid;
}

}  // namespace stepbench
