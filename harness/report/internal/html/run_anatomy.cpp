// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/base/format.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using Phases = std::vector<estimate::PhaseEstimate>;

struct PhaseKind {
  Phases estimate::CaseRow::*of;
  const char* key;     // key in a case's JSON
  const char* title;   // of its figure
  const char* suffix;  // of its columns in the table
  const char* before;  // a sentence above its figure
};
constexpr PhaseKind kKinds[] = {
    {&estimate::CaseRow::phases, "phases", "Phases of a step on the host, by its own clock", "",
     ""},
    {&estimate::CaseRow::device_phases, "device_phases",
     "Phases of a step on the stream that computes", ", device",
     "On the stream that computes, by CUDA events: what a step costs where the device sets the "
     "pace."},
    {&estimate::CaseRow::side_phases, "side_phases", "Phases on other streams, beside the step",
     ", beside the step", "Work of other streams is not part of the step."}};

// "forward is the longest phase of each."
std::string longest_phase(const std::vector<const Phases*>& cases) {
  std::map<std::string, std::size_t> longest;
  for (const Phases* phases : cases) {
    const auto most = std::ranges::max_element(*phases, {}, &estimate::PhaseEstimate::ns);
    if (most != phases->end()) ++longest[most->name];
  }
  const auto count = [](const auto& each) { return each.second; };
  const auto [name, times] = *std::ranges::max_element(longest, {}, count);
  return formatted("{} is the longest phase of {}.", name,
                   times == cases.size() ? "each" : formatted("{} of them", times));
}

// A column per phase, in step order.
void add_columns(document::Table& table, const std::vector<const Phases*>& cases,
                 const char* suffix, const text::TimeUnit& unit) {
  std::vector<std::string> names;
  for (const Phases* phases : cases) {
    for (const estimate::PhaseEstimate& phase : *phases) {
      if (std::ranges::find(names, phase.name) == names.end()) names.push_back(phase.name);
    }
  }
  std::ranges::stable_sort(names, {}, [](const std::string& name) {
    return name == "data_wait" ? 0 : name == "other" ? 2 : 1;
  });
  for (const std::string& name : names) {
    table.columns.push_back({.head = formatted("{}{} [{}]", name, suffix, unit.name)});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto phase = std::ranges::find(*cases[i], name, &estimate::PhaseEstimate::name);
      table.rows[i].cells.push_back(
          phase == cases[i]->end() ? document::Cell("-") : document::number(phase->ns / unit.ns));
    }
  }
}

}  // namespace

std::optional<document::Chapter> anatomy_section(const TableFacts& facts) {
  constexpr std::size_t kMaxCases = 40;
  std::vector<std::size_t> rows = best_rows(facts, kMaxCases);
  std::erase_if(rows, [&](std::size_t row) { return facts.rows[row].phases.empty(); });
  if (rows.empty()) return std::nullopt;
  std::ranges::sort(rows);
  const auto with_phases = std::ranges::count_if(
      facts.rows, [](const estimate::CaseRow& row) { return !row.phases.empty(); });
  document::Chapter section{.id = "anatomy", .title = "Anatomy of a step", .blocks = {}};
  document::Table table{.title = "Phases of a step by case",
                        .columns = {document::words("case"), document::words("options")}};
  for (const std::size_t row : rows) {
    table.rows.push_back(
        {.cells = {{short_id(facts, facts.rows[row])}, {facts.names.name(facts.rows[row])}}});
  }
  const std::string of = ", of " + text::counted(std::ssize(rows), "case") + ". ";
  for (const PhaseKind& kind : kKinds) {
    std::vector<const Phases*> cases;
    for (const std::size_t row : rows) cases.push_back(&(facts.rows[row].*kind.of));
    if (std::ranges::all_of(cases, &Phases::empty)) continue;
    json::JsonText json = chart("anatomy");
    json.text("phases", kind.key);
    add_each(json, "rows", rows);
    document::Figure figure{
        .title = kind.title,
        .alt = formatted("Stacked bars: {}{}{}", kind.title, of, longest_phase(cases)),
        .json = json.close_object().take()};
    if (std::ssize(rows) < with_phases) {
      figure.note = formatted("Drawn are the {} best of {}.", rows.size(),
                              text::counted(with_phases, "case"));
    }
    if (*kind.before != '\0') section.blocks.emplace_back(document::Paragraph{kind.before});
    section.blocks.emplace_back(std::move(figure));
    add_columns(table, cases, kind.suffix, facts.unit);
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace stepbench::report
