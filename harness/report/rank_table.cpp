// SPDX-License-Identifier: Apache-2.0
#include "harness/report/rank_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/document/cells.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

document::Table ranks_table(const std::string& title, const RanksOfCase& ranks) {
  const auto any = [&](const std::vector<double> RankValues::*values) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [&](const auto& rank) { return !(rank.second.*values).empty(); });
  };
  double longest_ns = 1;
  for (const auto& [rank, values] : ranks) {
    longest_ns = std::max(longest_ns, median_of(values.step_ns).value_or(0));
    longest_ns = std::max(longest_ns, median_of(values.work_ns).value_or(0));
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
  const bool peaks =
      std::ranges::any_of(ranks, [](const auto& rank) { return !rank.second.peak_bytes.empty(); });
  if (peaks) table.columns.push_back({.head = "peak memory", .unit = {}, .drop_at = 2});
  const bool losses = any(&RankValues::loss);
  if (losses) table.columns.push_back({.head = "loss", .unit = {}, .drop_at = 1});
  for (const auto& [rank, values] : ranks) {
    std::vector<document::Cell> cells = {document::count(rank), text::join(values.hosts, " ")};
    if (any(&RankValues::step_ns)) cells.push_back(document::time(median_of(values.step_ns), unit));
    for (const std::string& part : parts) {
      cells.push_back(document::time(values.part_ns(part), unit));
    }
    if (waits) {
      cells.push_back(document::time(median_of(values.work_ns), unit));
      cells.push_back(document::time(median_of(values.wait_ns), unit));
    }
    if (peaks) cells.push_back(document::bytes(values.peak()));
    if (losses) cells.push_back(document::number(median_of(values.loss)));
    table.rows.push_back({.cells = std::move(cells)});
  }
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
  const GroupLaunches groups(results);
  std::set<std::pair<std::string, std::string>> seen;
  bool profiled = false;
  for (const estimate::CaseRow& row : rows) {
    if (!seen.emplace(row.case_id + ' ' + row.run_id, row.arm).second) continue;
    const RanksOfCase ranks = ranks_of(row, groups);
    if (ranks.size() < 2) continue;
    chapter.blocks.emplace_back(ranks_table(names.name(row), ranks));
    if (auto waits = wait_table(wait_matrix(ranks))) chapter.blocks.emplace_back(std::move(*waits));
    if (std::string straggler = straggler_of(row, groups); !straggler.empty()) {
      chapter.blocks.emplace_back(
          document::Paragraph{std::move(straggler), document::Tone::kDoubt});
    }
    profiled = profiled || !ranks.begin()->second.work_ns.empty();
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

}  // namespace stepbench::report
