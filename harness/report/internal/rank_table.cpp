// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/findings/finding.h"
#include "harness/os/text_file.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

document::Table ranks_table(const std::string& title, const RanksOfCase& ranks) {
  const auto any = [&](const std::vector<double> RankValues::*values) {
    return std::ranges::any_of(ranks,
                               [&](const auto& rank) { return !(rank.second.*values).empty(); });
  };
  double longest_ns = 1;
  for (const auto& [rank, values] : ranks) {
    longest_ns = std::max(longest_ns, median_of(values.step_ns).value_or(0));
    longest_ns = std::max(longest_ns, median_of(values.work_ns).value_or(0));
  }
  const text::TimeUnit unit = text::unit_for({&longest_ns, 1});
  const std::string in_unit(unit.name);
  using Rank = RanksOfCase::value_type;
  const auto median = [&](const std::vector<double> RankValues::*values) {
    return [&unit, values](const Rank& rank) {
      return document::time(median_of(rank.second.*values), unit);
    };
  };
  const bool waits = any(&RankValues::wait_ns);
  const bool peaks =
      std::ranges::any_of(ranks, [](const auto& rank) { return !rank.second.peak_bytes.empty(); });
  std::vector<document::Projected<Rank>> columns = {
      {{.head = "rank"}, [](const Rank& rank) { return document::count(rank.first); }},
      {document::words("host"),
       [](const Rank& rank) { return text::join(rank.second.hosts, " "); }},
      {{.head = "step", .unit = in_unit}, median(&RankValues::step_ns), any(&RankValues::step_ns)}};
  for (const std::string& part : parts_of(ranks)) {
    columns.push_back({{.head = part, .unit = in_unit}, [&unit, part](const Rank& rank) {
                         return document::time(rank.second.part_ns(part), unit);
                       }});
  }
  columns.push_back({{.head = "own work", .unit = in_unit}, median(&RankValues::work_ns), waits});
  columns.push_back(
      {{.head = "waits for others", .unit = in_unit}, median(&RankValues::wait_ns), waits});
  columns.push_back({{.head = "peak memory", .unit = {}, .drop_at = 2},
                     [](const Rank& rank) { return document::bytes(rank.second.peak()); },
                     peaks});
  columns.push_back({{.head = "loss", .unit = {}, .drop_at = 1},
                     [](const Rank& rank) { return document::number(median_of(rank.second.loss)); },
                     any(&RankValues::loss)});
  const std::vector<Rank> rows(ranks.begin(), ranks.end());
  document::Table table = document::project<Rank>(rows, std::move(columns));
  table.title = title;
  return table;
}

std::vector<std::string> ranks_words(bool profiled) {
  return {
      "medians over launches; steps of ranks with collectives are equally long and do not show "
      "which rank is slow",
      profiled
          ? "own work and waits are of the profiled launches: a rank waits in a collective for "
            "as long as it takes more than the rank that enters last"
          : "a profiled launch shows which rank waits for which: stepbench run ... --profile"};
}

document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                  const record::Results& results) {
  const estimate::RowNames names(rows, results);
  document::Chapter chapter{.id = "ranks", .title = "Ranks", .blocks = {}};
  bool profiled = false;
  for (const CaseRanks& one : cases_with_ranks(rows, names, results)) {
    chapter.blocks.emplace_back(ranks_table(one.name, one.ranks));
    if (auto waits = wait_table(wait_matrix(one.ranks)))
      chapter.blocks.emplace_back(std::move(*waits));
    if (!one.straggler.empty()) {
      chapter.blocks.emplace_back(document::Paragraph{one.straggler, document::Tone::kDoubt});
    }
    profiled = profiled || one.profiled();
  }
  if (chapter.blocks.empty()) {
    throw ConfigError("--ranks",
                      "no case was measured by several ranks: stepbench run ... --ranks 2");
  }
  document::add_paragraphs(chapter.blocks, ranks_words(profiled));
  document::Document page;
  page.chapters.push_back(std::move(chapter));
  return page;
}

namespace {

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

// Launches of process groups by case.
class GroupLaunches {
 public:
  explicit GroupLaunches(const record::Results& results) {
    for (const record::Launch& launch : results.launches) {
      const record::LaunchRow& one = launch.row;
      if (one.world < 2 || one.outcome.kind != Outcome::Kind::kMeasured) continue;
      const bool known = launch.run < results.runs.size();
      const std::string run = known ? results.runs[launch.run].run_id : std::string();
      by_case_[{one.key.case_id, one.key.arm, run}].push_back(&launch);
    }
  }

  [[nodiscard]] std::vector<const record::Launch*> of(const estimate::CaseRow& row) const {
    const auto found = by_case_.find({row.case_id, row.arm, row.run_id});
    return found == by_case_.end() ? std::vector<const record::Launch*>{} : found->second;
  }

 private:
  std::map<std::array<std::string, 3>, std::vector<const record::Launch*>> by_case_ = {};
};

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

std::string straggler_of(const estimate::CaseRow& row, const GroupLaunches& groups) {
  for (const record::Launch* launch : groups.of(row)) {
    if (launch->row.key.rank != 0 || !is_profiling(launch->row.key.pass)) continue;
    for (const Finding& finding : launch->row.report.findings) {
      if (finding.id == kStragglerFinding) return finding.text;
    }
  }
  return {};
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

std::string straggler_of(const estimate::CaseRow& row, const record::Results& results) {
  return straggler_of(row, GroupLaunches(results));
}

std::vector<CaseRanks> cases_with_ranks(const std::vector<estimate::CaseRow>& rows,
                                        const estimate::RowNames& names,
                                        const record::Results& results) {
  const GroupLaunches groups(results);
  std::vector<CaseRanks> cases;
  std::set<std::array<std::string_view, 3>> seen;
  for (const estimate::CaseRow& row : rows) {
    if (!seen.insert({row.case_id, row.run_id, row.arm}).second) continue;
    RanksOfCase ranks = ranks_of(row, groups);
    if (ranks.size() < 2) continue;
    cases.push_back({names.name(row), straggler_of(row, groups), std::move(ranks)});
  }
  return cases;
}

std::vector<std::string> parts_of(const RanksOfCase& ranks) {
  std::vector<std::string> parts;
  for (const auto& [rank, values] : ranks) {
    for (const std::string& part : values.parts) {
      if (values.part_ns(part) > 0 && std::ranges::find(parts, part) == parts.end())
        parts.push_back(part);
    }
  }
  std::stable_partition(parts.begin(), parts.end(),
                        [](const std::string& name) { return name != "other"; });
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

namespace {

constexpr std::size_t kWidest = 8;  // rank columns that fit on a terminal
constexpr std::size_t kPairs = 20;

double longest_ns(const WaitMatrix& matrix) {
  double longest = 0;
  for (const std::vector<double>& line : matrix.ns) {
    for (const double ns : line) longest = std::max(longest, ns);
  }
  return longest;
}

document::Table whole_table(const WaitMatrix& matrix, const text::TimeUnit& unit) {
  document::Table table{.title = formatted("who waits for whom [{} per step]", unit.name),
                        .columns = {{.head = "rank"}}};
  for (const std::int64_t rank : matrix.ranks) {
    table.columns.push_back({.head = formatted("for {}", rank)});
  }
  table.columns.push_back({.head = "sum"});
  for (std::size_t i = 0; i < matrix.ranks.size(); ++i) {
    std::vector<document::Cell> cells = {document::count(matrix.ranks[i])};
    for (std::size_t j = 0; j < matrix.ranks.size(); ++j) {
      cells.push_back(i == j ? document::Cell("") : document::time(matrix.ns[i][j], unit));
    }
    cells.push_back(
        document::time(std::accumulate(matrix.ns[i].begin(), matrix.ns[i].end(), 0.0), unit));
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

document::Table pairs_table(const WaitMatrix& matrix, const text::TimeUnit& unit) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < matrix.ranks.size(); ++i) {
    for (std::size_t j = 0; j < matrix.ranks.size(); ++j) {
      if (matrix.ns[i][j] > 0) pairs.emplace_back(i, j);
    }
  }
  std::ranges::stable_sort(pairs, [&](const auto& a, const auto& b) {
    return matrix.ns[a.first][a.second] > matrix.ns[b.first][b.second];
  });
  std::string title = "who waits for whom";
  if (pairs.size() > kPairs) {
    title += formatted(": the longest {} of {}", kPairs, pairs.size());
    pairs.resize(kPairs);
  }
  document::Table table{.title = std::move(title),
                        .columns = {{.head = "rank"},
                                    {.head = "waits for"},
                                    {.head = "per step", .unit = std::string(unit.name)}}};
  for (const auto& [i, j] : pairs) {
    table.rows.push_back(
        {.cells = {document::count(matrix.ranks[i]), document::count(matrix.ranks[j]),
                   document::time(matrix.ns[i][j], unit)}});
  }
  return table;
}

}  // namespace

bool WaitMatrix::empty() const { return !(longest_ns(*this) > 0); }

std::size_t WaitMatrix::most_waited_for() const {
  std::vector<double> sums(ranks.size());
  for (const std::vector<double>& line : ns) {
    for (std::size_t j = 0; j < line.size(); ++j) sums[j] += line[j];
  }
  return static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
}

WaitMatrix wait_matrix(const traces::RankReport& report) {
  WaitMatrix matrix;
  for (const traces::RankRow& row : report.rows) {
    matrix.ranks.push_back(row.rank);
    matrix.ns.push_back(row.waits_for_ns);
  }
  return matrix;
}

std::optional<document::Table> wait_table(const WaitMatrix& matrix) {
  if (matrix.empty()) return std::nullopt;
  const double longest = longest_ns(matrix);
  const text::TimeUnit unit = text::unit_for({&longest, 1});
  return matrix.ranks.size() <= kWidest ? whole_table(matrix, unit) : pairs_table(matrix, unit);
}

}  // namespace stepbench::report
