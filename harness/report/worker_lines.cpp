// SPDX-License-Identifier: Apache-2.0
#include "harness/report/worker_lines.h"

#include <string>
#include <vector>

#include "harness/base/pass.h"
#include "harness/document/cells.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/ops/sampled_lines.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxWorkerLines = 12;

std::vector<ops::SampledLine> sampled_lines_of(const estimate::CaseRow& row,
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

document::Table worker_lines(const estimate::CaseRow& row, const record::Results& results) {
  document::Table table{
      .title = "Lines of Python that the loader's time is spent in, sampled in profiled launches",
      .columns = {{.head = "share", .unit = "%"},
                  {.head = "samples", .drop_at = 30},
                  {.head = "part", .left = true, .drop_at = 40},
                  document::words("line"),
                  {.head = "code", .left = true, .drop_at = 20, .shrink_at = 10, .shrink_to = 24},
                  {.head = "in", .left = true, .drop_at = 10}}};
  const std::vector<ops::SampledLine> lines = sampled_lines_of(row, results);
  std::int64_t all = 0;
  for (const ops::SampledLine& line : lines) all += line.samples;
  std::int64_t left = all;
  const auto add = [&](std::int64_t samples, const ops::SampledLine& line) {
    table.rows.push_back(
        {.cells = {document::share(static_cast<double>(samples), static_cast<double>(all)),
                   std::to_string(samples), line.part, line.place, line.code, line.calls}});
    left -= samples;
  };
  for (const ops::SampledLine& line : lines) {
    if (table.rows.size() == kMaxWorkerLines) break;
    add(line.samples, line);
  }
  if (left > 0) add(left, {"", "(other lines)", "", ""});
  return table;
}

}  // namespace stepbench::report
