// SPDX-License-Identifier: Apache-2.0
#include "harness/report/rank_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/document/cells.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Of one rank of a case, a value from each launch.
struct RankValues {
  std::set<std::string> hosts;
  std::vector<double> step_ns;
  std::map<std::string, std::vector<double>> parts_ns;
  std::vector<double> loss;
  std::vector<double> wait_ns;  // of profiled launches, as the next
  std::vector<double> work_ns;
};
using Ranks = std::map<int, RankValues>;

std::optional<double> median(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(stats::median(values));
}

void add_metric(const record::Launch& launch, std::string_view name, std::vector<double>& to) {
  const auto found = launch.row.report.metrics.find(name);
  if (found != launch.row.report.metrics.end() && found->second) to.push_back(*found->second);
}

void add_timed(record::Launch launch, RankValues& to) {
  // As this rank saw it, not as the group did.
  launch.row.report.schedule.erase("group_window_ns");
  const auto estimate = estimate::estimate_of(launch);
  if (!estimate || estimate->steps == 0) return;
  const auto steps = static_cast<double>(estimate->steps);
  to.step_ns.push_back(estimate::step_ns(*estimate, estimate::clock_of(*estimate)));
  const bool on_device = estimate->device_ns.has_value();
  for (const estimate::PhaseTime& phase : on_device ? estimate->device_phases : estimate->phases) {
    to.parts_ns[phase.name].push_back(static_cast<double>(phase.ns) / steps);
  }
  if (const auto loss = number_of(launch.row.report.fingerprint, "loss")) to.loss.push_back(*loss);
}

Ranks ranks_of(const estimate::CaseRow& row, const record::Results& results) {
  Ranks ranks;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& one = launch.row;
    if (one.world < 2 || one.outcome.kind != Outcome::Kind::kMeasured) continue;
    if (one.key.case_id != row.case_id || one.key.arm != row.arm) continue;
    if (launch.run < results.runs.size() && results.runs[launch.run].run_id != row.run_id) continue;
    RankValues& to = ranks[one.key.rank];
    if (const std::string host = text_of(one.machine, "rank.host"); !host.empty())
      to.hosts.insert(host);
    if (one.key.pass == Pass::kTiming) add_timed(launch, to);
    add_metric(launch, "rank_wait_ns", to.wait_ns);
    add_metric(launch, "own_work_ns", to.work_ns);
  }
  return ranks;
}

// The parts that any rank spent time in, in the order of their names but `other`, the last.
std::vector<std::string> parts_of(const Ranks& ranks) {
  std::set<std::string> names;
  for (const auto& [rank, values] : ranks) {
    for (const auto& [name, times] : values.parts_ns) {
      if (median(times).value_or(0) > 0) names.insert(name);
    }
  }
  std::vector<std::string> ordered(names.begin(), names.end());
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const std::string& name) { return name != "other"; });
  return ordered;
}

document::Table table_of(const std::string& title, const Ranks& ranks) {
  const auto any = [&](const std::vector<double> RankValues::*values) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [&](const auto& rank) { return !(rank.second.*values).empty(); });
  };
  double longest_ns = 1;
  for (const auto& [rank, values] : ranks) {
    longest_ns = std::max(longest_ns, median(values.step_ns).value_or(0));
    longest_ns = std::max(longest_ns, median(values.work_ns).value_or(0));
  }
  const text::TimeUnit unit = text::unit_for({&longest_ns, 1});
  const std::string in_unit(unit.name);
  const std::vector<std::string> parts = parts_of(ranks);
  document::Table table{.title = title, .columns = {{.head = "rank"}, document::words("host")}};
  if (any(&RankValues::step_ns)) table.columns.push_back({.head = "step", .unit = in_unit});
  for (const std::string& part : parts) table.columns.push_back({.head = part, .unit = in_unit});
  const bool waits = any(&RankValues::wait_ns);
  if (waits) {
    table.columns.push_back({.head = "own work", .unit = in_unit});
    table.columns.push_back({.head = "waits for others", .unit = in_unit});
  }
  const bool losses = any(&RankValues::loss);
  if (losses) table.columns.push_back({.head = "loss", .unit = {}, .drop_at = 1});
  for (const auto& [rank, values] : ranks) {
    std::vector<document::Cell> cells = {document::count(rank), text::join(values.hosts, " ")};
    if (any(&RankValues::step_ns)) cells.push_back(document::time(median(values.step_ns), unit));
    for (const std::string& part : parts) {
      const auto found = values.parts_ns.find(part);
      cells.push_back(document::time(
          found == values.parts_ns.end() ? std::optional(0.0) : median(found->second), unit));
    }
    if (waits) {
      cells.push_back(document::time(median(values.work_ns), unit));
      cells.push_back(document::time(median(values.wait_ns), unit));
    }
    if (losses) cells.push_back(document::number(median(values.loss)));
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

}  // namespace

document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                  const record::Results& results) {
  const estimate::RowNames names(rows, results);
  document::Chapter chapter{.id = "ranks", .title = "Ranks", .blocks = {}};
  std::set<std::pair<std::string, std::string>> seen;
  bool profiled = false;
  for (const estimate::CaseRow& row : rows) {
    if (!seen.emplace(row.case_id + ' ' + row.run_id, row.arm).second) continue;
    const Ranks ranks = ranks_of(row, results);
    if (ranks.size() < 2) continue;
    chapter.blocks.emplace_back(table_of(names.name(row), ranks));
    profiled = profiled || !ranks.begin()->second.work_ns.empty();
  }
  if (chapter.blocks.empty()) {
    throw ConfigError("--ranks",
                      "no case was measured by several ranks: stepbench run ... --ranks 2");
  }
  std::vector<std::string> lines = {
      "medians over launches; collectives make the steps of all ranks equally long, so that the "
      "step does not tell who is slow"};
  lines.emplace_back(
      profiled
          ? "own work and waits are of the profiled launches: a rank waits in a collective for "
            "as long as it takes more than the rank that enters last"
          : "who waits for whom is told by a profiled launch: stepbench run ... --profile");
  document::add_paragraphs(chapter.blocks, lines);
  document::Document page;
  page.chapters.push_back(std::move(chapter));
  return page;
}

}  // namespace stepbench::report
