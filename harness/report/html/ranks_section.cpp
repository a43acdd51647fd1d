// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/ranks_section.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/html/case_chart.h"
#include "harness/report/html/figure.h"
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

std::vector<CaseRanks> cases_of(const TableFacts& facts, const CaseWords& words) {
  const GroupLaunches groups(facts.results);
  std::vector<CaseRanks> cases;
  std::set<std::pair<std::string, std::string>> seen;
  for (const estimate::CaseRow& row : facts.rows) {
    if (!seen.emplace(row.case_id + ' ' + row.run_id, row.arm).second) continue;
    RanksOfCase ranks = ranks_of(row, groups);
    if (ranks.size() < 2) continue;
    cases.push_back({words.label(row), straggler_of(row, groups), std::move(ranks)});
  }
  return cases;
}

// Phases as they follow each other in a step of the median launch.
document::Figure phases_figure(const CaseRanks& one) {
  std::vector<std::string> names;
  for (const auto& [rank, values] : one.ranks) {
    if (names.size() < kMaxRanks) names.push_back("rank " + std::to_string(rank));
  }
  FigureJson figure;
  std::size_t place = 0;
  for (const std::string& part : parts_of(one.ranks)) {
    std::vector<double> lengths;
    std::vector<std::string> hovers;
    for (const auto& [rank, values] : one.ranks) {
      if (lengths.size() == kMaxRanks) break;
      const double ns = values.part_ns(part);
      lengths.push_back(ns / kNsPerMs);
      const std::vector<std::string> lines = {
          "rank " + std::to_string(rank) + ": " + part + ' ' + text::duration(ns),
          "of a step of " + text::duration(median_of(values.step_ns).value_or(0))};
      hovers.push_back(hover_text(lines));
    }
    json::JsonText& json = figure.open_trace("bar", part);
    json.text("orientation", "h");
    add_numbers(json, "x", lengths);
    add_numbers(json, "y", places_of(lengths.size()));
    add_hovers(json, hovers);
    json.open_object("marker").text("color", part == "other" ? kDimColour : series_colour(place));
    json.open_object("pattern").text("shape", place < std::size(kSeriesColours) - 1 ? "" : "x");
    json.text("fillmode", "overlay").close_object().close_object();
    figure.close_trace();
    if (part != "other") ++place;
  }
  json::JsonText& layout = figure.layout();
  layout.text("barmode", "stack");
  add_axis(layout, "xaxis", {.title = "per step [ms]", .from_zero = true});
  add_axis(layout, "yaxis", {.tick_texts = names, .downwards = true, .grid = false});
  std::string note =
      "Phases in the order of a step; a phase that holds collectives holds what the "
      "rank waits for others, too.";
  if (names.size() < one.ranks.size()) {
    note += " Drawn are the first " + std::to_string(names.size()) + " of " +
            std::to_string(one.ranks.size()) + " ranks.";
  }
  return {.title = "A step on each rank",
          .alt = "Stacked bars: the phases of a step on each of " +
                 text::counted(std::ssize(one.ranks), "rank") + '.',
          .json = figure.take(),
          .note = std::move(note),
          .height_px = 190 + 34 * static_cast<int>(names.size())};
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

std::optional<document::Chapter> ranks_section(const TableFacts& facts,
                                               const DrawOptions& options) {
  std::vector<CaseRanks> cases = cases_of(facts, CaseWords(facts, options));
  if (cases.empty()) return std::nullopt;
  document::Chapter section{.id = "ranks", .title = "Ranks", .blocks = {}};
  // Where somebody waits there is something to win.
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
