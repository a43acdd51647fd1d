// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_facts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/analyze/rank_finding.h"
#include "harness/estimate/launch_estimate.h"

namespace stepbench::run {
namespace {

// Of the rank whose windows took longest: it has the step of the group.
void add_time_and_work(std::span<record::Launch> ranks) {
  std::int64_t window_ns = 0;
  std::optional<std::int64_t> samples = 0;
  std::optional<std::int64_t> tokens = 0;
  const auto add = [](std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& more) {
    sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
  };
  for (const record::Launch& launch : ranks) {
    const auto estimate = estimate::estimate_of(launch);
    if (!estimate) return;
    window_ns = std::max(window_ns, estimate::window_ns(*estimate, estimate::clock_of(*estimate)));
    add(samples, estimate->samples);
    add(tokens, estimate->tokens);
  }
  Fields& schedule = ranks.front().row.report.schedule;
  schedule["group_window_ns"] = window_ns;
  if (samples) schedule["group_samples"] = *samples;
  if (tokens) schedule["group_tokens"] = *tokens;
}

void add_waits(std::span<record::Launch> ranks, std::vector<analyze::RankTrace> traces) {
  record::LaunchReport& first = ranks.front().row.report;
  if (traces.size() < ranks.size()) {
    if (!traces.empty()) {
      first.notes.emplace_back(
          "not all ranks left a trace that names its rank: who waits for whom is not known");
    }
    return;
  }
  const analyze::RankReport report = analyze::compare_ranks(std::move(traces));
  for (const std::string& warning : report.warnings) first.notes.push_back(warning);
  if (report.collectives == 0) {
    first.notes.emplace_back(
        "no collective is in the traces of all ranks: who waits for whom is not known");
    return;
  }
  for (const analyze::RankRow& row : report.rows) {
    record::LaunchReport::Metrics& metrics =
        ranks[static_cast<std::size_t>(row.rank)].row.report.metrics;
    metrics["rank_wait_ns"] = row.wait_ns;
    metrics["own_work_ns"] = row.work_ns;
  }
  if (auto finding = analyze::straggler_finding(report)) {
    first.findings.push_back(std::move(*finding));
  }
}

}  // namespace

void add_group_facts(std::span<record::Launch> ranks, std::vector<analyze::RankTrace> traces) {
  if (ranks.size() < 2) return;
  add_time_and_work(ranks);
  if (is_profiling(ranks.front().row.key.pass)) add_waits(ranks, std::move(traces));
}

}  // namespace stepbench::run
