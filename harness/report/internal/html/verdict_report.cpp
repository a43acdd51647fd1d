// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/pages.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

namespace chapters = comparison_chapters;

// Moves the blocks of these chapters out of the document.
std::vector<document::Block> blocks_of(document::Document& document,
                                       std::initializer_list<const char*> ids) {
  std::vector<document::Block> blocks;
  for (const char* id : ids) {
    const auto found = std::ranges::find(document.chapters, id, &document::Chapter::id);
    if (found == document.chapters.end()) continue;
    std::ranges::move(found->blocks, std::back_inserter(blocks));
  }
  return blocks;
}

bool was_measured(const verdict::Comparison& comparison) {
  return std::ranges::any_of(compared_metrics({&comparison, 1}), [](const ComparedMetric& each) {
    return each.test->verdict != verdict::Verdict::kNoData;
  });
}

constexpr std::size_t kMaxCauses = 6;  // cases with a figure of their changed step
constexpr double kPercent = 100;

const verdict::MetricResult* step_of(const verdict::CaseResult& one) {
  const auto found = std::ranges::find_if(one.metrics, [](const verdict::MetricResult& metric) {
    return metric.of_step && metric.unit == "ns";
  });
  return found == one.metrics.end() ? nullptr : &*found;
}

// Changes of the phases that explain the change of a case's step. nullopt if no cause is known.
std::optional<document::Figure> cause_figure(const verdict::Comparison& comparison,
                                             std::size_t place, std::size_t one) {
  const verdict::CaseResult& changed = comparison.cases.at(one);
  const verdict::MetricResult* step = step_of(changed);
  // One rank may wait for the time that another saves, so such changes must not be summed.
  if (changed.cause.empty() || step == nullptr || verdict::ranks_differ(changed.cause)) {
    return std::nullopt;
  }
  const double base_ns = step->test.base_median;
  const double candidate_ns = step->test.candidate_median;
  if (!std::isfinite(base_ns) || !std::isfinite(candidate_ns)) return std::nullopt;
  std::vector<std::string> cause_labels;
  double rest_ns = candidate_ns - base_ns;
  for (const verdict::PhaseChange& change : changed.cause) {
    cause_labels.push_back(change.phase + ' ' + text::signed_duration(change.change_ns) + ", " +
                           text::significant(kPercent * change.share, 2) + " % of the change");
    rest_ns -= change.change_ns;
  }
  json::JsonText json = chart("cause");
  json.integer("comparison", static_cast<std::int64_t>(place));
  json.integer("case", static_cast<std::int64_t>(one)).text("step", step->name).close_object();
  const std::string from_to = text::duration(base_ns) + " to " + text::duration(candidate_ns);
  return document::Figure{
      .title = "Where the time went: " + ComparisonNames(comparison).of(changed),
      .alt = "From " + from_to + ": " + text::join(cause_labels, "; ") + ".",
      .json = json.take(),
      .note = "Each phase by the middle of its changes with its interval; the " + step->name +
              " went from " + from_to + " by medians, which leaves " +
              text::signed_duration(rest_ns) + " to all other phases."};
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

document::Table gates_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  document::Table table{.title = "Gates that did not pass",
                        .columns = {document::words("gate"),
                                    document::words("case"),
                                    document::words("state"),
                                    {.head = "value"},
                                    {.head = "warns at"},
                                    {.head = "fails at"},
                                    document::words("what was seen")},
                        .rows = {}};
  const auto limit = [](const std::optional<double>& value) {
    return document::Cell{value ? text::significant(*value) : "-", value};
  };
  for (const verdict::Gate& gate : comparison.gates) {
    if (gate.state == verdict::GateState::kPassed) continue;
    table.rows.push_back(
        {.cells = {gate.name,
                   gate.case_id.empty() ? "all" : names.of_id(gate.case_id),
                   std::string(name_of(gate.state)) + (gate.allowed ? ", allowed" : ""),
                   {text::significant(gate.value), finite(gate.value)},
                   limit(gate.warns_at),
                   limit(gate.fails_at),
                   gate.text}});
    table.rows.back().tone = tone_of(gate.state);
  }
  return table;
}

document::Table causes_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  document::Table table{.title = "Phases that explain a changed step",
                        .columns = {document::words("case"),
                                    document::words("phase"),
                                    {.head = "before"},
                                    {.head = "after"},
                                    {.head = "change per step"},
                                    document::words("interval"),
                                    {.head = "share of the change"}},
                        .rows = {}};
  for (const verdict::CaseResult& one : comparison.cases) {
    for (const verdict::PhaseChange& change : one.cause) {
      const bool known =
          std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high);
      auto [before, after] = compared_values(change.base_ns, change.candidate_ns, "ns");
      table.rows.push_back(
          {.cells = {
               names.of(one),
               phase_text(change),
               {std::move(before), finite(change.base_ns)},
               {std::move(after), finite(change.candidate_ns)},
               {text::signed_duration(change.change_ns), finite(change.change_ns)},
               known ? text::signed_duration(change.interval_ns.low) + " to " +
                           text::signed_duration(change.interval_ns.high)
                     : "-",
               {text::significant(kPercent * change.share, 2) + " %", finite(change.share)}}});
    }
  }
  return table;
}

document::Table op_changes_table(const verdict::Comparison& comparison,
                                 const ComparisonNames& names) {
  document::Table table{.title = "Operations that changed",
                        .columns = {document::words("case"),
                                    document::words("op"),
                                    document::words("phase"),
                                    document::words("input shapes"),
                                    {.head = "calls/step before"},
                                    {.head = "calls/step after"},
                                    {.head = "share before"},
                                    {.head = "share after"},
                                    {.head = "time per step"}},
                        .rows = {}};
  for (const verdict::CaseResult& one : comparison.cases) {
    for (const verdict::OpChange& op : one.ops) {
      table.rows.push_back(
          {.cells = {names.of(one),
                     op.name,
                     op.phase,
                     op.shapes,
                     document::number(op.base_calls),
                     document::number(op.candidate_calls),
                     {text::percent_text(op.base_share), op.base_share},
                     {text::percent_text(op.candidate_share), op.candidate_share},
                     {op.change_ns ? text::signed_duration(*op.change_ns) : "-", op.change_ns}}});
    }
  }
  return table;
}

document::Table missing_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  document::Table table{
      .title = "Cases that only one side has",
      .columns = {document::words("only in"), document::words("case"), document::words("id")},
      .rows = {}};
  const bool arms = !comparison.looks.empty();
  const auto add = [&](const std::vector<verdict::MissingCase>& cases, const std::string& side) {
    for (const verdict::MissingCase& one : cases) {
      table.rows.push_back({.cells = {side, names.of(one), one.case_id}});
    }
  };
  add(comparison.only_base, arms ? "arm A" : comparison.base);
  add(comparison.only_candidate, arms ? "arm B" : comparison.candidate);
  return table;
}

// One row per case and metric: its change with interval on the band of its margin. `place`: index
// of the comparison in the page's data. nullopt if no row has a change.
std::optional<document::Figure> forest_figure(const verdict::Comparison& comparison,
                                              std::size_t place) {
  const ComparisonNames names(comparison);
  json::JsonText json = chart("forest");
  json.integer("comparison", static_cast<std::int64_t>(place)).open_array("names");
  for (const verdict::CaseResult& one : comparison.cases) json.text({}, names.of(one));
  const bool any =
      std::ranges::any_of(compared_metrics({&comparison, 1}), [](const ComparedMetric& each) {
        return each.test->change && std::isfinite(*each.test->change);
      });
  if (!any) return std::nullopt;
  return document::Figure{
      .title = "Changes with their intervals, against the margins",
      .alt = "For each case and metric its change in percent with its interval: " +
             verdict_counts(comparison) + ".",
      .json = json.close_array().close_object().take()};
}

// `letter`: names one of several comparisons, whose chapters are folded; empty for a single one.
document::Chapter section_of(const verdict::Comparison& comparison, std::size_t place,
                             const std::string& letter) {
  const ComparisonNames names(comparison);
  document::Chapter section{
      .id = place == 0 ? "comparison" : "comparison-" + std::to_string(place + 1),
      .title = "Before and after",
      .blocks = {},
      .folded = !letter.empty()};
  if (section.folded) {
    section.title += ": A -> " + letter;
    section.blocks.emplace_back(
        document::Paragraph{comparison.base + " -> " + comparison.candidate});
  }
  if (auto figure = forest_figure(comparison, place)) {
    if (!letter.empty()) figure->title += ": A -> " + letter;
    section.blocks.emplace_back(std::move(*figure));
  }
  document::Table metrics = metric_rows(comparison, names, true, true).table;
  metrics.title = "Every metric that was compared";
  section.blocks.emplace_back(std::move(metrics));
  std::size_t causes = 0;
  for (std::size_t i = 0; i < comparison.cases.size(); ++i) {
    auto figure = cause_figure(comparison, place, i);
    if (!figure || ++causes > kMaxCauses) continue;
    section.blocks.emplace_back(std::move(*figure));
  }
  if (causes > 0) section.blocks.emplace_back(causes_table(comparison, names));
  if (causes > kMaxCauses) {
    section.blocks.emplace_back(document::Paragraph{
        "The steps of the first " + std::to_string(kMaxCauses) + " of " +
        text::counted(causes, "changed case") + " are drawn; the table has all."});
  }
  section.blocks.emplace_back(op_changes_table(comparison, names));
  section.blocks.emplace_back(gates_table(comparison, names));
  section.blocks.emplace_back(missing_table(comparison, names));
  return section;
}

// One per comparison, in order.
std::vector<document::Chapter> comparison_sections(
    std::span<const verdict::Comparison> comparisons) {
  std::vector<document::Chapter> sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    sections.push_back(
        section_of(comparisons[i], i, comparisons.size() > 1 ? letter_of(i + 1) : ""));
  }
  return sections;
}

}  // namespace

ReportContent verdict_content(std::span<const verdict::Comparison> comparisons,
                              const DrawOptions& /*draw*/) {
  document::Document document = comparison_document(comparisons, true);
  std::size_t cases = 0;
  for (const verdict::Comparison& comparison : comparisons) cases += comparison.cases.size();
  ReportContent content{.kind = "verdict",
                        .title = document.headline,
                        .answer = document.answer,
                        .sections = {},
                        .data = verdict_json(comparisons),
                        .summary = text::counted(std::ssize(comparisons), "comparison") + ", " +
                                   text::counted(cases, "case"),
                        .measured = std::ranges::any_of(comparisons, was_measured)};
  // For several comparisons the tables say which letter is which; the table of a single one goes
  // below its chart.
  std::vector<document::Block> overview =
      comparisons.size() > 1
          ? blocks_of(document, {chapters::kDesign, chapters::kCases, chapters::kCauses})
          : blocks_of(document, {chapters::kCauses});
  std::ranges::move(blocks_of(document, {chapters::kDoubts}), std::back_inserter(overview));
  document::Chapter first{.id = "overview", .title = "Overview", .blocks = std::move(overview)};
  std::vector<document::Chapter> sections = comparison_sections(comparisons);
  move_first_figure(sections[verdict::worst_of(comparisons)], first, 0);
  if (!first.blocks.empty()) content.sections.push_back(std::move(first));
  std::ranges::move(sections, std::back_inserter(content.sections));
  std::vector<document::Block> rest =
      comparisons.size() > 1 ? blocks_of(document, {chapters::kRemarks})
                             : blocks_of(document, {chapters::kDesign, chapters::kRemarks});
  content.sections.push_back({.id = chapters::kDesign,
                              .title = "How it was measured and judged",
                              .blocks = std::move(rest),
                              .folded = true});
  return content;
}

}  // namespace stepbench::report
