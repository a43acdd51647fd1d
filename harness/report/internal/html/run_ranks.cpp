// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/report/internal/html/trace_charts.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxRankedCases = 8;
constexpr std::size_t kMaxRanks = 64;

// Phases in step order, from the median launch.
document::Figure phases_figure(const RanksOfCase& all) {
  const auto end = std::next(all.begin(), std::ptrdiff_t(std::min(kMaxRanks, all.size())));
  const RanksOfCase ranks(all.begin(), end);
  json::JsonText json = chart("rank_phases");
  add_each(json, "ranks", ranks, [](const auto& rank) { return rank.first; });
  add_each(json, "step_ns", ranks,
           [](const auto& rank) { return median_of(rank.second.step_ns).value_or(0); });
  json.open_array("parts");
  for (const std::string& part : parts_of(ranks)) {
    json.open_object().text("name", part);
    add_each(json, "ns", ranks, [&](const auto& rank) { return rank.second.part_ns(part); });
    json.close_object();
  }
  std::string note =
      "Phases in the order of a step; a phase that holds collectives holds what the "
      "rank waits for others, too.";
  if (ranks.size() < all.size()) {
    note += formatted(" Drawn are the first {} of {} ranks.", ranks.size(), all.size());
  }
  return {.title = "A step on each rank",
          .alt = formatted("Stacked bars: the phases of a step on each of {}.",
                           text::counted(std::ssize(all), "rank")),
          .json = json.close_array().close_object().take(),
          .note = std::move(note)};
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
  blocks.emplace_back(phases_figure(one.ranks));
  const WaitMatrix matrix = wait_matrix(one.ranks);
  if (auto figure = waits_figure(matrix)) blocks.emplace_back(std::move(*figure));
  blocks.emplace_back(ranks_table("ranks", one.ranks));
  if (auto table = wait_table(matrix)) blocks.emplace_back(std::move(*table));
}

}  // namespace

std::optional<document::Chapter> ranks_section(const TableFacts& facts) {
  std::vector<CaseRanks> cases = cases_with_ranks(facts.rows, facts.names, facts.results);
  if (cases.empty()) return std::nullopt;
  document::Chapter section{.id = "ranks", .title = "Ranks", .blocks = {}};
  // Cases with a straggler first: there is something to gain.
  std::stable_partition(cases.begin(), cases.end(),
                        [](const CaseRanks& each) { return !each.straggler.empty(); });
  const std::size_t shown = std::min(kMaxRankedCases, cases.size());
  for (std::size_t i = 0; i < shown; ++i) add_case(cases[i], cases.size() > 1, section.blocks);
  if (shown < cases.size()) {
    section.blocks.emplace_back(
        document::Paragraph{formatted("Shown are {} of {}; stepbench show --ranks shows all.",
                                      shown, text::counted(std::ssize(cases), "case"))});
  }
  const bool profiled = std::ranges::any_of(cases, &CaseRanks::profiled);
  document::add_paragraphs(section.blocks, ranks_words(profiled));
  return section;
}

}  // namespace stepbench::report
