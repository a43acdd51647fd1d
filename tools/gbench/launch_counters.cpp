// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/launch_counters.h"

#include <array>
#include <string_view>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"

namespace stepbench::gbench {
namespace {

constexpr std::array<std::string_view, 5> kColumns = {"samples_per_s", "tokens_per_s",
                                                      "data_wait_share", "p50_ns", "p99_ns"};
constexpr std::array<std::string_view, 2> kMetrics = {"peak_rss_bytes", "peak_allocated_bytes"};

void add_columns(const CaseRow& row, std::map<std::string, double>& counters) {
  for (const EstimateColumn& column : estimate_columns()) {
    for (const std::string_view name : kColumns) {
      if (column.name != name) continue;
      if (const auto value = number_of(column.get(row))) counters.emplace(name, *value);
    }
  }
}

}  // namespace

LaunchNumbers numbers_of(const Launch& launch) {
  LaunchNumbers numbers;
  Results alone;
  alone.launches.push_back(launch);
  const std::vector<CaseRow> rows = case_rows(alone);
  numbers.skipped = launch.row.outcome.kind == Outcome::Kind::kSkipped;
  if (rows.empty() || rows.front().measured.empty()) {
    numbers.reason = reason_of(launch);
    return numbers;
  }
  const CaseRow& row = rows.front();
  numbers.step_ns = row.headline_ns();
  add_columns(row, numbers.counters);
  for (const auto* phases : {&row.phases, &row.side_phases}) {
    for (const PhaseEstimate& phase : *phases)
      numbers.counters.emplace(phase.name + "_ns", phase.ns);
  }
  for (const std::string_view name : kMetrics) {
    const auto metric = launch.row.report.metrics.find(name);
    if (metric != launch.row.report.metrics.end() && metric->second) {
      numbers.counters.emplace(name, *metric->second);
    }
  }
  return numbers;
}

}  // namespace stepbench::gbench
