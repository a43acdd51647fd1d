// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/html/case_chart.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/run_sections.h"
#include "harness/report/html/trace_charts.h"
#include "harness/report/rank_table.h"
#include "harness/report/rank_values.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxCases = 8;
constexpr std::size_t kMaxRanks = 64;

struct CaseRanks {
  std::string name;
  std::string straggler;
  RanksOfCase ranks;

  [[nodiscard]] bool profiled() const { return !ranks.begin()->second.work_ns.empty(); }
};

std::vector<CaseRanks> cases_of(const TableFacts& facts) {
  const GroupLaunches groups(facts.results);
  std::vector<CaseRanks> cases;
  std::set<std::pair<std::string, std::string>> seen;
  for (const estimate::CaseRow& row : facts.rows) {
    if (!seen.emplace(row.case_id + ' ' + row.run_id, row.arm).second) continue;
    RanksOfCase ranks = ranks_of(row, groups);
    if (ranks.size() < 2) continue;
    cases.push_back({facts.names.name(row), straggler_of(row, groups), std::move(ranks)});
  }
  return cases;
}

// Phases in step order, from the median launch.
document::Figure phases_figure(const CaseRanks& one) {
  std::vector<std::int64_t> ranks;
  std::vector<double> steps;
  for (const auto& [rank, values] : one.ranks) {
    if (ranks.size() == kMaxRanks) break;
    ranks.push_back(rank);
    steps.push_back(median_of(values.step_ns).value_or(0));
  }
  json::JsonText json = chart("rank_phases");
  json.integers("ranks", ranks);
  add_numbers(json, "step_ns", steps);
  json.open_array("parts");
  for (const std::string& part : parts_of(one.ranks)) {
    std::vector<double> ns;
    for (const std::int64_t rank : ranks)
      ns.push_back(one.ranks.at(static_cast<int>(rank)).part_ns(part));
    json.open_object().text("name", part);
    add_numbers(json, "ns", ns);
    json.close_object();
  }
  json.close_array().close_object();
  std::string note =
      "Phases in the order of a step; a phase that holds collectives holds what the "
      "rank waits for others, too.";
  if (ranks.size() < one.ranks.size()) {
    note += " Drawn are the first " + std::to_string(ranks.size()) + " of " +
            std::to_string(one.ranks.size()) + " ranks.";
  }
  return {.title = "A step on each rank",
          .alt = "Stacked bars: the phases of a step on each of " +
                 text::counted(std::ssize(one.ranks), "rank") + '.',
          .json = json.take(),
          .note = std::move(note),
          .height_px = 190 + 34 * static_cast<int>(ranks.size())};
}

void add_case(const CaseRanks& one, bool several, std::vector<document::Block>& blocks) {
  if (several) blocks.emplace_back(document::Heading{one.name});
  if (!one.straggler.empty()) {
    blocks.emplace_back(document::Paragraph{one.straggler, document::Tone::kDoubt});
  } else if (one.profiled()) {
    blocks.emplace_back(document::Paragraph{
        "No rank is named: none is the slowest, by 1 % of the step, in more of the profiled steps "
        "than chance explains."});
  }
  blocks.emplace_back(phases_figure(one));
  const WaitMatrix matrix = wait_matrix(one.ranks);
  if (auto figure = waits_figure(matrix)) blocks.emplace_back(std::move(*figure));
  blocks.emplace_back(ranks_table("ranks", one.ranks));
  if (auto table = wait_table(matrix)) blocks.emplace_back(std::move(*table));
}

}  // namespace

std::optional<document::Chapter> ranks_section(const TableFacts& facts) {
  std::vector<CaseRanks> cases = cases_of(facts);
  if (cases.empty()) return std::nullopt;
  document::Chapter section{.id = "ranks", .title = "Ranks", .blocks = {}};
  // Cases with a straggler first: there is something to gain.
  std::ranges::stable_partition(cases,
                                [](const CaseRanks& each) { return !each.straggler.empty(); });
  const std::size_t shown = std::min(kMaxCases, cases.size());
  for (std::size_t i = 0; i < shown; ++i) add_case(cases[i], cases.size() > 1, section.blocks);
  if (shown < cases.size()) {
    section.blocks.emplace_back(document::Paragraph{"Shown are " + std::to_string(shown) + " of " +
                                                    text::counted(std::ssize(cases), "case") +
                                                    "; stepbench show --ranks shows all."});
  }
  const bool profiled = std::ranges::any_of(cases, &CaseRanks::profiled);
  document::add_paragraphs(section.blocks, ranks_words(profiled));
  return section;
}

}  // namespace stepbench::report
