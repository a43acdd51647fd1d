// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
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
                                       const std::vector<const char*>& ids) {
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
    cause_labels.push_back(formatted("{} {}, {} % of the change", change.phase,
                                     text::signed_duration(change.change_ns),
                                     text::significant(kPercent * change.share, 2)));
    rest_ns -= change.change_ns;
  }
  json::JsonText json = chart("cause");
  json.integer("comparison", static_cast<std::int64_t>(place));
  json.integer("case", static_cast<std::int64_t>(one)).text("step", step->name).close_object();
  const std::string from_to = text::duration(base_ns) + " to " + text::duration(candidate_ns);
  return document::Figure{
      .title = "Where the time went: " + ComparisonNames(comparison).of(changed),
      .alt = formatted("From {}: {}.", from_to, text::join(cause_labels, "; ")),
      .json = json.take(),
      .note = formatted("Each phase by the middle of its changes with its interval; the {} went "
                        "from {} by medians, which leaves {} to all other phases.",
                        step->name, from_to, text::signed_duration(rest_ns))};
}

document::Table gates_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  std::vector<verdict::Gate> gates = comparison.gates;
  std::erase_if(gates, [](const auto& gate) { return gate.state == verdict::GateState::kPassed; });
  using Gate = const verdict::Gate&;
  document::Table table = document::project<verdict::Gate>(
      gates,
      {{document::words("gate"), [](Gate gate) { return gate.name; }},
       {document::words("case"),
        [&](Gate gate) { return gate.case_id.empty() ? "all" : names.of_id(gate.case_id); }},
       {document::words("state"),
        [](Gate gate) {
          return std::string(name_of(gate.state)) + (gate.allowed ? ", allowed" : "");
        }},
       {{.head = "value"}, [](Gate gate) { return document::number(gate.value); }},
       {{.head = "warns at"}, [](Gate gate) { return document::number(gate.warns_at); }},
       {{.head = "fails at"}, [](Gate gate) { return document::number(gate.fails_at); }},
       {document::words("what was seen"), [](Gate gate) { return gate.text; }}},
      [](Gate gate) { return tone_of(gate.state); });
  table.title = "Gates that did not pass";
  return table;
}

// A part of a case's result, with the case.
template <typename Part>
struct PartOfCase {
  const verdict::CaseResult* of;
  const Part* part;

  static std::vector<PartOfCase> all(const verdict::Comparison& comparison,
                                     std::vector<Part> verdict::CaseResult::*parts) {
    std::vector<PartOfCase> found;
    for (const verdict::CaseResult& one : comparison.cases) {
      for (const Part& part : one.*parts) found.push_back({&one, &part});
    }
    return found;
  }
};

document::Table causes_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  using Cause = PartOfCase<verdict::PhaseChange>;
  using Line = const Cause&;
  const auto value = [](Line line, bool after) -> document::Cell {
    const auto [base, candidate] =
        compared_values(line.part->base_ns, line.part->candidate_ns, "ns");
    return {after ? candidate : base, after ? line.part->candidate_ns : line.part->base_ns};
  };
  document::Table table = document::project<Cause>(
      Cause::all(comparison, &verdict::CaseResult::cause),
      {{document::words("case"), [&](Line line) { return names.of(*line.of); }},
       {document::words("phase"), [](Line line) { return phase_text(*line.part); }},
       {{.head = "before"}, [&](Line line) { return value(line, false); }},
       {{.head = "after"}, [&](Line line) { return value(line, true); }},
       {{.head = "change per step"},
        [](Line line) { return document::signed_duration(line.part->change_ns); }},
       {document::words("interval"),
        [](Line line) {
          const auto [low, high] = line.part->interval_ns;
          return std::isfinite(low) && std::isfinite(high)
                     ? text::signed_duration(low) + " to " + text::signed_duration(high)
                     : "-";
        }},
       {{.head = "share of the change"}, [](Line line) {
          return document::Cell(text::significant(kPercent * line.part->share, 2) + " %",
                                line.part->share);
        }}});
  table.title = "Phases that explain a changed step";
  return table;
}

document::Table op_changes_table(const verdict::Comparison& comparison,
                                 const ComparisonNames& names) {
  using Change = PartOfCase<verdict::OpChange>;
  using Line = const Change&;
  document::Table table = document::project<Change>(
      Change::all(comparison, &verdict::CaseResult::ops),
      {{document::words("case"), [&](Line line) { return names.of(*line.of); }},
       {document::words("op"), [](Line line) { return line.part->name; }},
       {document::words("phase"), [](Line line) { return line.part->phase; }},
       {document::words("input shapes"), [](Line line) { return line.part->shapes; }},
       {{.head = "calls/step before"},
        [](Line line) { return document::number(line.part->base_calls); }},
       {{.head = "calls/step after"},
        [](Line line) { return document::number(line.part->candidate_calls); }},
       {{.head = "share before"},
        [](Line line) { return document::percent_text(line.part->base_share); }},
       {{.head = "share after"},
        [](Line line) { return document::percent_text(line.part->candidate_share); }},
       {{.head = "time per step"},
        [](Line line) { return document::signed_duration(line.part->change_ns); }}});
  table.title = "Operations that changed";
  return table;
}

document::Table missing_table(const verdict::Comparison& comparison, const ComparisonNames& names) {
  document::Table table{
      .title = "Cases that only one side has",
      .columns = {document::words("only in"), document::words("case"), document::words("id")}};
  const bool arms = !comparison.looks.empty();
  for (const auto& [cases, side] :
       {std::pair{&comparison.only_base, arms ? "arm A" : comparison.base},
        std::pair{&comparison.only_candidate, arms ? "arm B" : comparison.candidate}}) {
    for (const verdict::MissingCase& one : *cases) {
      table.rows.push_back({.cells = {side, names.of(one), one.case_id}});
    }
  }
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
      .alt = formatted("For each case and metric its change in percent with its interval: {}.",
                       verdict_counts(comparison)),
      .json = json.close_array().close_object().take()};
}

// `letter`: names one of several comparisons, whose chapters are folded; empty for a single one.
document::Chapter section_of(const verdict::Comparison& comparison, std::size_t place,
                             const std::string& letter) {
  const ComparisonNames names(comparison);
  document::Chapter section{.id = place == 0 ? "comparison" : formatted("comparison-{}", place + 1),
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
        formatted("The steps of the first {} of {} are drawn; the table has all.", kMaxCauses,
                  text::counted(causes, "changed case"))});
  }
  section.blocks.emplace_back(op_changes_table(comparison, names));
  section.blocks.emplace_back(gates_table(comparison, names));
  section.blocks.emplace_back(missing_table(comparison, names));
  return section;
}

// Without the folder of the base, which both sides share as a rule.
std::string title_of(const verdict::Comparison& first, std::string headline) {
  const bool files = first.looks.empty();
  const std::string folder = first.base.substr(0, first.base.rfind('/') + 1);
  while (files && !folder.empty() && headline.find(folder) != std::string::npos) {
    headline.erase(headline.find(folder), folder.size());
  }
  return headline;
}

}  // namespace

ReportContent verdict_content(std::span<const verdict::Comparison> comparisons,
                              const DrawOptions& /*draw*/) {
  document::Document document = comparison_document(comparisons, true);
  std::size_t cases = 0;
  for (const verdict::Comparison& comparison : comparisons) cases += comparison.cases.size();
  ReportContent content{.kind = "verdict",
                        .title = title_of(comparisons.front(), document.headline),
                        .answer = document.answer,
                        .sections = {},
                        .data = verdict_json(comparisons),
                        .summary = text::counted(std::ssize(comparisons), "comparison") + ", " +
                                   text::counted(cases, "case"),
                        .measured = std::ranges::any_of(comparisons, was_measured)};
  // For several comparisons the tables say which letter is which; the table of a single one goes
  // below its chart.
  const bool several = comparisons.size() > 1;
  using Ids = std::vector<const char*>;
  document::Chapter first{
      .id = "overview",
      .title = "Overview",
      .blocks = blocks_of(document, several ? Ids{chapters::kDesign, chapters::kCases,
                                                  chapters::kCauses, chapters::kDoubts}
                                            : Ids{chapters::kCauses, chapters::kDoubts})};
  std::vector<document::Chapter>& sections = content.sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    sections.push_back(section_of(comparisons[i], i, several ? letter_of(i + 1) : ""));
  }
  move_first_figure(sections[verdict::worst_of(comparisons)], first, 0);
  if (!first.blocks.empty()) sections.insert(sections.begin(), std::move(first));
  document::Chapter design{
      .id = chapters::kDesign,
      .title = "How it was measured and judged",
      .blocks = blocks_of(
          document, several ? Ids{chapters::kRemarks} : Ids{chapters::kDesign, chapters::kRemarks}),
      .folded = true};
  if (!several) design.blocks.insert(design.blocks.begin(), document::Paragraph{document.headline});
  sections.push_back(std::move(design));
  return content;
}

}  // namespace stepbench::report
