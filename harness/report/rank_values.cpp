// SPDX-License-Identifier: Apache-2.0
#include "harness/report/rank_values.h"

#include <algorithm>

#include "harness/estimate/launch_estimate.h"
#include "harness/findings/finding.h"
#include "harness/findings/of_ranks.h"
#include "harness/os/text_file.h"
#include "harness/stats/order.h"

namespace stepbench::report {
namespace {

std::string key_of(const std::string& case_id, const std::string& arm, const std::string& run) {
  return case_id + '\n' + arm + '\n' + run;
}

void add_metric(const record::Launch& launch, std::string_view name, std::vector<double>& to) {
  const auto found = launch.row.report.metrics.find(name);
  if (found != launch.row.report.metrics.end() && found->second) to.push_back(*found->second);
}

void add_timed(record::Launch launch, RankValues& to) {
  // As measured by this rank, without the group's window.
  launch.row.report.schedule.erase("group_window_ns");
  const auto estimate = estimate::estimate_of(launch);
  if (!estimate || estimate->steps == 0) return;
  const auto steps = static_cast<double>(estimate->steps);
  to.step_ns.push_back(estimate::step_ns(*estimate, estimate::clock_of(*estimate)));
  const bool on_device = estimate->device_ns.has_value();
  for (const estimate::PhaseTime& phase : on_device ? estimate->device_phases : estimate->phases) {
    if (!to.parts_ns.contains(phase.name)) to.parts.push_back(phase.name);
    to.parts_ns[phase.name].push_back(static_cast<double>(phase.ns) / steps);
  }
  for (const auto& [name, value] : launch.row.machine) {
    if (!name.starts_with("rank.peak_")) continue;
    if (const auto bytes = number_of(launch.row.machine, name)) {
      to.peak_bytes[name].push_back(*bytes);
    }
  }
  if (const auto loss = number_of(launch.row.report.fingerprint, "loss")) to.loss.push_back(*loss);
}

// "rank.waits_for.1_ns"
void add_waits_for(const record::Launch& launch, RankValues& to) {
  constexpr std::string_view kBegin = "rank.waits_for.";
  constexpr std::string_view kEnd = "_ns";
  for (const auto& [name, value] : launch.row.machine) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const auto rank = os::parse_integer(
        std::string_view(name).substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
    const auto ns = number_of(launch.row.machine, name);
    if (rank && ns) to.waits_for_ns[*rank].push_back(*ns);
  }
}

}  // namespace

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(stats::median(values));
}

double RankValues::part_ns(const std::string& name) const {
  const auto found = parts_ns.find(name);
  return found == parts_ns.end() ? 0 : median_of(found->second).value_or(0);
}

std::optional<double> RankValues::peak() const {
  std::optional<double> peak;
  for (const auto& [name, bytes] : peak_bytes) {
    if (!peak || name != "rank.peak_rss_bytes") peak = median_of(bytes);
  }
  return peak;
}

GroupLaunches::GroupLaunches(const record::Results& results) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& one = launch.row;
    if (one.world < 2 || one.outcome.kind != Outcome::Kind::kMeasured) continue;
    const bool known = launch.run < results.runs.size();
    const std::string run = known ? results.runs[launch.run].run_id : std::string();
    by_case_[key_of(one.key.case_id, one.key.arm, run)].push_back(&launch);
  }
}

const std::vector<const record::Launch*>& GroupLaunches::of(const estimate::CaseRow& row) const {
  static const std::vector<const record::Launch*> kNone;
  const auto found = by_case_.find(key_of(row.case_id, row.arm, row.run_id));
  return found == by_case_.end() ? kNone : found->second;
}

RanksOfCase ranks_of(const estimate::CaseRow& row, const GroupLaunches& groups) {
  RanksOfCase ranks;
  for (const record::Launch* each : groups.of(row)) {
    const record::Launch& launch = *each;
    const record::LaunchRow& one = launch.row;
    RankValues& to = ranks[one.key.rank];
    if (const std::string host = text_of(one.machine, "rank.host"); !host.empty())
      to.hosts.insert(host);
    if (one.key.pass == Pass::kTiming) add_timed(launch, to);
    add_metric(launch, "rank_wait_ns", to.wait_ns);
    add_metric(launch, "own_work_ns", to.work_ns);
    add_waits_for(launch, to);
  }
  return ranks;
}

std::vector<std::string> parts_of(const RanksOfCase& ranks) {
  std::vector<std::string> parts;
  for (const auto& [rank, values] : ranks) {
    for (const std::string& part : values.parts) {
      if (values.part_ns(part) > 0 && std::ranges::find(parts, part) == parts.end())
        parts.push_back(part);
    }
  }
  std::ranges::stable_partition(parts, [](const std::string& name) { return name != "other"; });
  return parts;
}

WaitMatrix wait_matrix(const RanksOfCase& ranks) {
  WaitMatrix matrix;
  for (const auto& [rank, values] : ranks) matrix.ranks.push_back(rank);
  for (const auto& [rank, values] : ranks) {
    std::vector<double>& line = matrix.ns.emplace_back();
    for (const std::int64_t other : matrix.ranks) {
      const auto found = values.waits_for_ns.find(other);
      line.push_back(found == values.waits_for_ns.end() ? 0 : median_of(found->second).value_or(0));
    }
  }
  return matrix;
}

std::string straggler_of(const estimate::CaseRow& row, const GroupLaunches& groups) {
  for (const record::Launch* launch : groups.of(row)) {
    if (launch->row.key.rank != 0 || !is_profiling(launch->row.key.pass)) continue;
    for (const Finding& finding : launch->row.report.findings) {
      if (finding.id == findings::kStragglerFinding) return finding.text;
    }
  }
  return {};
}

}  // namespace stepbench::report
