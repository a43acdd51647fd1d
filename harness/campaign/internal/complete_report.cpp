// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/complete_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/base/value.h"
#include "harness/campaign/run_folder.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/record/quality.h"
#include "harness/stats/order_statistics.h"
#include "harness/traces/compare_traces.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"
#include "harness/verdict/comparison.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace = "profile.trace";

// A worker may send a cycle in several parts.
std::vector<Series> whole_cycles(const std::vector<record::CycleSamples>& parts) {
  std::map<std::int64_t, Series> cycles;
  for (const record::CycleSamples& part : parts) {
    Series& whole = cycles[part.cycle];
    if (whole.names.empty()) {
      whole = part.steps;
      continue;
    }
    for (std::size_t i = 0; i < whole.names.size(); ++i) {
      const std::vector<std::int64_t>* more = part.steps.find(whole.names[i]);
      if (more != nullptr)
        whole.columns[i].insert(whole.columns[i].end(), more->begin(), more->end());
    }
  }
  std::vector<Series> all;
  for (auto& [number, cycle] : cycles) {
    const std::size_t steps = cycle.column("step_ns").size();
    const bool even = std::all_of(cycle.columns.begin(), cycle.columns.end(),
                                  [&](const auto& column) { return column.size() == steps; });
    if (even) all.push_back(std::move(cycle));
  }
  return all;
}

std::optional<traces::RankTrace> take_ops(record::Launch& launch, const fs::path& file) {
  const traces::Trace trace = traces::read_trace(file);
  const bool sent_ops = !launch.ops.empty();
  if (!sent_ops) launch.ops = ops::frames_of(traces::op_table_of(trace));
  const traces::Analysis analysis = traces::analyse(trace);
  std::optional<traces::RankTrace> of_rank;
  if (launch.row.world > 1) of_rank = traces::rank_trace(file.string(), trace, analysis);
  if (sent_ops || analysis.blocked()) return of_rank;
  for (Finding& finding : traces::find_causes(trace, analysis)) {
    // edge_step_bias always applies here, because the recording begins and ends with the window.
    const bool is_reported = finding.undecided.empty() && finding.id != "trace.edge_step_bias";
    if (is_reported) launch.row.report.findings.push_back(std::move(finding));
  }
  return of_rank;
}

}  // namespace

void add_warmup_verdict(record::Launch& launch) {
  record::LaunchReport& report = launch.row.report;
  if (launch.samples.empty() || report.schedule.contains("warmup_verdict")) return;
  record::put_warmup(record::judge_windows(whole_cycles(launch.samples)), report);
}

std::optional<traces::RankTrace> add_traced_ops(record::Launch& launch, const fs::path& run_dir) {
  record::LaunchReport& report = launch.row.report;
  const auto named = report.effective.find(kTrace);
  const bool is_of_use = launch.ops.empty() || launch.row.world > 1;
  if (!is_profiling(launch.row.key.pass) || !is_of_use || named == report.effective.end()) {
    return std::nullopt;
  }
  // Never read a file outside the folder, whatever path the worker sends.
  const fs::path folder = run_dir / kTraces;
  const fs::path file = folder / fs::path(to_text(named->second)).filename();
  std::optional<traces::RankTrace> of_rank;
  try {
    of_rank = take_ops(launch, file);
  } catch (const Error& error) {
    report.notes.push_back(std::string("profiled operations: ") + error.what());
  }
  const auto asked = launch.row.options.find(kTrace);
  const bool keep =
      asked != launch.row.options.end() && !is_null(asked->second) && asked->second != Value(false);
  if (keep) return of_rank;
  std::error_code ignored;
  fs::remove(file, ignored);
  fs::remove(folder, ignored);  // fails unless empty
  report.effective.erase(kTrace);
  return of_rank;
}

namespace {

// Tolerance: a different summation order changes less; a different sample order or model more.
constexpr double kSameLoss = 1e-3;

// Losses are comparable only after equally many steps.
bool same_steps(const record::LaunchReport& a, const record::LaunchReport& b) {
  const auto first = a.schedule.find("steps");
  const auto second = b.schedule.find("steps");
  return first != a.schedule.end() && second != b.schedule.end() && first->second == second->second;
}

bool computes_another(const record::Launch& profiled, std::vector<const record::Launch*> timed) {
  std::erase_if(timed, [&](const record::Launch* each) {
    return !same_steps(profiled.row.report, each->row.report);
  });
  const record::Launch* const own[] = {&profiled};
  const verdict::Fingerprints ours = verdict::fingerprints_of(own);
  const verdict::Fingerprints theirs = verdict::fingerprints_of(timed);
  const auto a = ours.find("loss");
  const auto b = theirs.find("loss");
  if (a == ours.end() || b == theirs.end()) return false;
  const double limit =
      std::max(kSameLoss, verdict::precision_limit(verdict::precision_of(profiled.row)));
  return verdict::relative_difference(a->second.value, b->second.value) >
         verdict::same_within(limit, b->second.spread);
}

std::vector<const record::Launch*> timed_launches(const record::LaunchKey& key,
                                                  const record::Results& finished) {
  std::vector<const record::Launch*> found;
  for (const record::Launch& launch : finished.launches) {
    const record::LaunchKey& other = launch.row.key;
    if (other.pass == Pass::kTiming && other.case_id == key.case_id && other.arm == key.arm &&
        other.rank == key.rank && launch.row.outcome.kind == Outcome::Kind::kMeasured) {
      found.push_back(&launch);
    }
  }
  return found;
}

// A profiled launch on a device has no events. It shares with the timed ones only the time of a
// window between two moments at which the device was idle.
double overhead_of(const record::Launch& profiled,
                   const std::vector<const record::Launch*>& timed) {
  const record::Launch* const own[] = {&profiled};
  const estimate::Estimates base = estimate::estimates_of(timed);
  const estimate::Estimates candidate = estimate::estimates_of(own);
  const estimate::StepTimes times = estimate::step_times(base, candidate);
  const estimate::StepClock clock = times.mixed ? estimate::StepClock::kDrained : times.clock;
  std::vector<double> steps;
  for (const auto& estimate : base) {
    const double step = estimate ? estimate::headline_ns(*estimate, clock) : std::nan("");
    if (!std::isnan(step)) steps.push_back(step);
  }
  if (steps.empty() || !candidate.front()) return std::nan("");
  return estimate::headline_ns(*candidate.front(), clock) / stats::median(steps);
}

}  // namespace

void check_profile(record::Launch& profiled, const record::Results& finished) {
  if (!is_profiling(profiled.row.key.pass)) return;
  if (profiled.row.outcome.kind != Outcome::Kind::kMeasured) return;
  const std::vector<const record::Launch*> timed = timed_launches(profiled.row.key, finished);
  const bool mismatch = computes_another(profiled, timed);
  record::LaunchReport& report = profiled.row.report;
  const double overhead = overhead_of(profiled, timed);
  if (std::isfinite(overhead)) {
    report.metrics["profile_overhead"] = overhead;
    if (overhead > kMaxPerturbation) report.flags.emplace_back(launch_flag::kPerturbed);
  }
  if (mismatch) {
    report.flags.emplace_back(launch_flag::kProfileMismatch);
    profiled.ops.clear();
    report.notes.emplace_back(
        "the profiled launch computed another loss than the timing launches: its table of "
        "operations was left out");
  }
}

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
  for (const auto& [name, own] : of_group) {
    if (!name.starts_with("peak_") || !name.ends_with("_bytes")) continue;
    std::optional<double> most = own;
    for (record::Launch& rank : ranks) {
      const auto found = rank.row.report.metrics.find(name);
      if (found == rank.row.report.metrics.end() || !found->second) continue;
      rank.row.machine["rank." + name] = static_cast<std::int64_t>(*found->second);
      if (&rank != &ranks.front()) most = std::max(most.value_or(0), *found->second);
    }
    of_group[name] = most;
  }
}

// Ranks compute different things, so two arms match only if every rank matches.
void add_fingerprints(std::span<record::Launch> ranks) {
  Fields& of_group = ranks.front().row.report.fingerprint;
  for (const record::Launch& rank : ranks.subspan(1)) {
    for (const auto& [name, value] : rank.row.report.fingerprint) {
      of_group[verdict::fingerprint_of_rank(name, rank.row.key.rank)] = value;
    }
  }
}

// True if every rank reports that its measured steps were in no process group of all ranks.
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
       .text = formatted(
           "the {} ranks trained apart: in the measured steps no process group had all of them",
           count),
       .value = static_cast<double>(ranks.size()),
       .threshold = 1,
       .unit = "ranks",
       .evidence = {"step_ns"},
       .remedy = formatted("The script initialises no process group of its {} ranks: "
                           "torch.distributed.init_process_group(), which reads RANK and "
                           "WORLD_SIZE, or the option by which it does (--local_rank, "
                           "--distributed); without --ranks it is measured as one process.",
                           count)});
}

void add_waits(std::span<record::Launch> ranks, std::vector<traces::RankTrace> traces) {
  record::LaunchReport& first = ranks.front().row.report;
  if (traces.size() < ranks.size()) {
    if (!traces.empty()) {
      first.notes.emplace_back(
          "not all ranks left a trace that names its rank: who waits for whom is not known");
    }
    return;
  }
  const traces::RankReport report = traces::compare_ranks(std::move(traces));
  for (const std::string& warning : report.warnings) first.notes.push_back(warning);
  if (report.collectives == 0) {
    first.notes.emplace_back(
        "no collective is in the traces of all ranks: who waits for whom is not known");
    return;
  }
  for (const traces::RankRow& row : report.rows) {
    record::LaunchReport::Metrics& metrics =
        ranks[static_cast<std::size_t>(row.rank)].row.report.metrics;
    metrics["rank_wait_ns"] = row.wait_ns;
    metrics["own_work_ns"] = row.work_ns;
    Fields& machine = ranks[static_cast<std::size_t>(row.rank)].row.machine;
    for (std::size_t other = 0; other < row.waits_for_ns.size(); ++other) {
      const auto ns = static_cast<std::int64_t>(row.waits_for_ns[other]);
      if (ns <= 0) continue;
      machine[formatted("rank.waits_for.{}_ns", report.rows[other].rank)] = ns;
    }
  }
  if (auto finding = traces::straggler_finding(report)) {
    const auto straggler = static_cast<std::size_t>(report.straggler->rank);
    traces::add_own_cause(ranks[straggler].row.report.findings, *finding);
    first.findings.push_back(std::move(*finding));
  }
}

}  // namespace

void add_group_facts(std::span<record::Launch> ranks, std::vector<traces::RankTrace> traces) {
  if (ranks.size() < 2) return;
  add_peaks(ranks);
  if (trained_separately(ranks)) return report_separate_training(ranks);
  add_time_and_work(ranks);
  add_fingerprints(ranks);
  if (is_profiling(ranks.front().row.key.pass)) add_waits(ranks, std::move(traces));
}

}  // namespace stepbench::campaign
