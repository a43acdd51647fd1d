// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_facts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/analyze/rank_finding.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/record/fingerprint.h"
#include "harness/record/quality.h"

namespace stepbench::run {
namespace {

// The rank with the longest windows determines the group's time; work is summed over all ranks.
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

// Device peaks: the maximum, because each rank has its device's memory to itself and the fullest
// fails first. Host memory of the job: the sum.
void add_peaks(std::span<record::Launch> ranks) {
  record::LaunchReport::Metrics& of_group = ranks.front().row.report.metrics;
  const std::string job(record::kJobPeak);
  if (of_group.contains(job)) {
    std::optional<double> sum = 0;
    for (record::Launch& rank : ranks) {
      const auto own = rank.row.report.metrics.find(job);
      const bool is_known = own != rank.row.report.metrics.end() && own->second;
      if (is_known) rank.row.machine["rank." + job] = static_cast<std::int64_t>(*own->second);
      sum = sum && is_known ? std::optional(*sum + *own->second) : std::nullopt;
    }
    of_group[job] = sum;
  }
  for (auto& [name, most] : of_group) {
    if (!name.starts_with("peak_") || !name.ends_with("_bytes")) continue;
    for (record::Launch& rank : ranks) {
      const auto found = rank.row.report.metrics.find(name);
      if (found == rank.row.report.metrics.end() || !found->second) continue;
      rank.row.machine["rank." + name] = static_cast<std::int64_t>(*found->second);
      if (&rank != &ranks.front()) most = std::max(most.value_or(0), *found->second);
    }
  }
}

// Ranks compute different things, so two arms match only if every rank matches.
void add_fingerprints(std::span<record::Launch> ranks) {
  Fields& of_group = ranks.front().row.report.fingerprint;
  for (const record::Launch& rank : ranks.subspan(1)) {
    for (const auto& [name, value] : rank.row.report.fingerprint) {
      of_group[record::fingerprint_of_rank(name, rank.row.key.rank)] = value;
    }
  }
}

// True if every rank reports that it was in no process group in its measured steps.
bool trained_separately(std::span<const record::Launch> ranks) {
  return std::ranges::all_of(ranks, [](const record::Launch& rank) {
    const auto met = rank.row.report.schedule.find("met_ranks");
    return met != rank.row.report.schedule.end() && met->second == Value{false};
  });
}

void report_separate_training(std::span<record::Launch> ranks) {
  const std::string count = std::to_string(ranks.size());
  ranks.front().row.report.schedule["group_apart"] = true;
  ranks.front().row.report.findings.push_back(
      {.id = "ranks.apart",
       .severity = Severity::kProblem,
       .text = "the " + count +
               " ranks trained apart: in the measured steps torch.distributed was not initialised, "
               "and none of their steps was one of a group",
       .value = static_cast<double>(ranks.size()),
       .threshold = 1,
       .unit = "ranks",
       .evidence = {"step_ns"},
       .remedy = "The script initialises no process group of its " + count +
                 " ranks: "
                 "torch.distributed.init_process_group(), or the option by which it does "
                 "(--local_rank, --distributed); without --ranks it is measured as one process."});
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
    Fields& machine = ranks[static_cast<std::size_t>(row.rank)].row.machine;
    for (std::size_t other = 0; other < row.waits_for_ns.size(); ++other) {
      const auto ns = static_cast<std::int64_t>(row.waits_for_ns[other]);
      if (ns <= 0) continue;
      machine["rank.waits_for." + std::to_string(report.rows[other].rank) + "_ns"] = ns;
    }
  }
  if (auto finding = analyze::straggler_finding(report)) {
    const auto straggler = static_cast<std::size_t>(report.straggler->rank);
    analyze::add_own_cause(ranks[straggler].row.report.findings, *finding);
    first.findings.push_back(std::move(*finding));
  }
}

}  // namespace

void add_group_facts(std::span<record::Launch> ranks, std::vector<analyze::RankTrace> traces) {
  if (ranks.size() < 2) return;
  add_peaks(ranks);
  if (trained_separately(ranks)) return report_separate_training(ranks);
  add_time_and_work(ranks);
  add_fingerprints(ranks);
  if (is_profiling(ranks.front().row.key.pass)) add_waits(ranks, std::move(traces));
}

}  // namespace stepbench::run
