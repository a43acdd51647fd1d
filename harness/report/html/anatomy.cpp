// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr int kBarPx = 30;

struct PhaseKind {
  std::vector<estimate::PhaseEstimate> estimate::CaseRow::*of;
  const char* key;     // key in a case's JSON
  const char* title;   // title of its figure
  const char* suffix;  // in the table's title
};
constexpr PhaseKind kKinds[] = {
    {&estimate::CaseRow::phases, "phases", "Phases of a step on the host, by its own clock", ""},
    {&estimate::CaseRow::device_phases, "device_phases",
     "Phases of a step on the stream that computes", ", device"},
    {&estimate::CaseRow::side_phases, "side_phases", "Phases on other streams, beside the step",
     ", beside the step"}};

// The drawn cases, as row indexes.
struct Anatomy {
  const TableFacts& facts;
  std::vector<std::size_t> drawn = {};
  std::int64_t with_phases = 0;

  [[nodiscard]] const auto& phases(std::size_t row, const PhaseKind& kind) const {
    return facts.rows[row].*kind.of;
  }
  [[nodiscard]] bool has(const PhaseKind& kind) const {
    return std::ranges::any_of(drawn, [&](std::size_t row) { return !phases(row, kind).empty(); });
  }
};

Anatomy anatomy_of(const TableFacts& facts) {
  Anatomy anatomy{.facts = facts};
  anatomy.drawn = best_rows(facts, measures_of(facts).front(), kMaxAnatomyCases);
  std::erase_if(anatomy.drawn, [&](std::size_t row) { return facts.rows[row].phases.empty(); });
  anatomy.with_phases = std::ranges::count_if(
      facts.rows, [](const estimate::CaseRow& row) { return !row.phases.empty(); });
  return anatomy;
}

// "forward is the longest phase of each."
std::string longest_phase(const Anatomy& anatomy, const PhaseKind& kind) {
  std::map<std::string, std::size_t> longest;
  for (const std::size_t row : anatomy.drawn) {
    const auto& phases = anatomy.phases(row, kind);
    const auto most = std::ranges::max_element(phases, {}, &estimate::PhaseEstimate::ns);
    if (most != phases.end()) ++longest[most->name];
  }
  const auto most =
      std::ranges::max_element(longest, {}, [](const auto& each) { return each.second; });
  if (most == longest.end()) return {};
  const bool each = most->second == anatomy.drawn.size();
  return most->first + " is the longest phase of " +
         (each ? "each" : std::to_string(most->second) + " of them") + '.';
}

document::Figure figure_of(const Anatomy& anatomy, const PhaseKind& kind, bool is_step,
                           bool shares) {
  json::JsonText json = chart("anatomy");
  json.text("phases", kind.key).flag("shares", shares).flag("step", is_step);
  add_places(json, "rows", anatomy.drawn);
  json.close_object();
  const std::int64_t drawn = std::ssize(anatomy.drawn);
  return {.title = kind.title,
          .alt = std::string("Stacked bars: ") + kind.title + ", of " +
                 text::counted(drawn, "case") + ". " + longest_phase(anatomy, kind),
          .json = json.take(),
          .note = drawn < anatomy.with_phases
                      ? "Drawn are the " + std::to_string(drawn) + " best of " +
                            text::with_separators(anatomy.with_phases) + " cases."
                      : "",
          .height_px = std::max(340, 170 + kBarPx * static_cast<int>(drawn)),
          .choice = shares ? "shares" : "times"};
}

// The bars as numbers, with one column per phase in step order.
document::Table phases_table(const Anatomy& anatomy) {
  const TableFacts& facts = anatomy.facts;
  const std::string unit = " [" + std::string(facts.unit.name) + ']';
  document::Table table{.title = "Phases of a step by case",
                        .columns = {document::words("case"), document::words("options")},
                        .rows = {}};
  for (const std::size_t row : anatomy.drawn) {
    table.rows.push_back(
        {.cells = {{short_id(facts, facts.rows[row])}, {facts.names.name(facts.rows[row])}}});
  }
  for (const PhaseKind& kind : kKinds) {
    std::vector<std::string> names;
    for (const std::size_t row : anatomy.drawn) {
      for (const estimate::PhaseEstimate& phase : anatomy.phases(row, kind)) {
        if (std::ranges::find(names, phase.name) == names.end()) names.push_back(phase.name);
      }
    }
    std::ranges::stable_sort(names, {}, [](const std::string& name) {
      return name == "data_wait" ? 0 : name == "other" ? 2 : 1;
    });
    for (const std::string& name : names) {
      table.columns.push_back({.head = name + kind.suffix + unit});
      for (std::size_t i = 0; i < anatomy.drawn.size(); ++i) {
        const auto& phases = anatomy.phases(anatomy.drawn[i], kind);
        const auto phase = std::ranges::find(phases, name, &estimate::PhaseEstimate::name);
        table.rows[i].cells.push_back(phase == phases.end()
                                          ? document::Cell("-")
                                          : document::number(phase->ns / facts.unit.ns));
      }
    }
  }
  return table;
}

}  // namespace

std::optional<document::Chapter> anatomy_section(const TableFacts& facts) {
  const Anatomy anatomy = anatomy_of(facts);
  if (anatomy.drawn.empty()) return std::nullopt;
  document::Chapter section{.id = "anatomy", .title = "Anatomy of a step", .blocks = {}};
  const auto& [host, device, side] = kKinds;
  const auto add = [&](const PhaseKind& kind, bool is_step) {
    if (!anatomy.has(kind)) return;
    for (const bool shares : {false, true}) {
      section.blocks.emplace_back(figure_of(anatomy, kind, is_step, shares));
    }
  };
  add(host, !anatomy.has(device));
  if (anatomy.has(device)) {
    section.blocks.emplace_back(document::Paragraph{
        "On the stream that computes, by CUDA events: what a step costs where the device sets the "
        "pace."});
  }
  add(device, true);
  if (anatomy.has(side)) {
    section.blocks.emplace_back(
        document::Paragraph{"Work of other streams is no part of the step."});
  }
  add(side, false);
  section.blocks.emplace_back(phases_table(anatomy));
  return section;
}

}  // namespace stepbench::report
