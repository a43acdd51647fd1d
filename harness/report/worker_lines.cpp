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

namespace stepbench::report {
namespace {

constexpr std::size_t kMostLines = 12;

std::vector<ops::SampledLine> lines_of(const estimate::CaseRow& row,
                                       const record::Results& results) {
  std::vector<ops::OpFrame> frames;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    const bool same_run =
        launch.run < results.runs.size() && results.runs[launch.run].run_id == row.run_id;
    if (!is_profiling(key.pass) || key.case_id != row.case_id || key.arm != row.arm || !same_run) {
      continue;
    }
    for (const ops::OpFrame& frame : launch.ops) {
      if (frame.table == "stacks") frames.push_back(frame);
    }
  }
  return ops::sampled_lines(ops::op_table_of(frames));
}

}  // namespace

text::Grid worker_lines(const estimate::CaseRow& row, const record::Results& results) {
  text::Grid grid{.columns = {{.head = "share [%]"},
                              {.head = "samples", .drop_at = 30},
                              {.head = "part", .align = text::Align::kLeft, .drop_at = 40},
                              {.head = "line", .align = text::Align::kLeft},
                              {.head = "code",
                               .align = text::Align::kLeft,
                               .drop_at = 20,
                               .shrink_at = 10,
                               .shrink_to = 24},
                              {.head = "in", .align = text::Align::kLeft, .drop_at = 10}},
                  .rows = {}};
  const std::vector<ops::SampledLine> lines = lines_of(row, results);
  std::int64_t all = 0;
  for (const ops::SampledLine& line : lines) all += line.samples;
  std::int64_t left = all;
  const auto add = [&](std::int64_t samples, std::vector<std::string> others) {
    const double share = static_cast<double>(samples) / static_cast<double>(all);
    text::GridRow& out = grid.rows.emplace_back();
    out.cells = {text::percent(share), std::to_string(samples)};
    for (std::string& cell : others) out.cells.push_back(text::printable(cell));
    left -= samples;
  };
  for (const ops::SampledLine& line : lines) {
    if (grid.rows.size() == kMostLines) break;
    add(line.samples, {line.part, line.place, line.code, line.calls});
  }
  if (left > 0) add(left, {"", "(other lines)", "", ""});
  return grid;
}

}  // namespace stepbench::report
