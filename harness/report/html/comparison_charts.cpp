// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_charts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_document.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/comparison_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxCauses = 6;  // cases with a figure of their changed step
constexpr double kPercent = 100;

const compare::MetricResult* step_of(const compare::CaseResult& one) {
  const auto found = std::find_if(
      one.metrics.begin(), one.metrics.end(),
      [](const compare::MetricResult& metric) { return metric.of_step && metric.unit == "ns"; });
  return found == one.metrics.end() ? nullptr : &*found;
}

// `letter`: names one of several comparisons, whose chapters are folded; empty for a single one.
document::Chapter section_of(const compare::Comparison& comparison, std::size_t place,
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
  if (auto figure = forest_figure(comparison, place))
    section.blocks.emplace_back(std::move(*figure));
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
        text::counted(std::int64_t(causes), "changed case") + " are drawn; the table has all."});
  }
  section.blocks.emplace_back(op_changes_table(comparison, names));
  section.blocks.emplace_back(gates_table(comparison, names));
  section.blocks.emplace_back(missing_table(comparison, names));
  return section;
}

}  // namespace

std::optional<document::Figure> cause_figure(const compare::Comparison& comparison,
                                             std::size_t place, std::size_t one) {
  const compare::CaseResult& changed = comparison.cases.at(one);
  const compare::MetricResult* step = step_of(changed);
  // One rank may wait for the time that another saves, so such changes must not be summed.
  if (changed.cause.empty() || step == nullptr || compare::ranks_differ(changed.cause)) {
    return std::nullopt;
  }
  const double base_ns = step->test.base_median;
  const double candidate_ns = step->test.candidate_median;
  if (!std::isfinite(base_ns) || !std::isfinite(candidate_ns)) return std::nullopt;
  std::vector<std::string> cause_labels;
  double rest_ns = candidate_ns - base_ns;
  for (const compare::PhaseChange& change : changed.cause) {
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
              text::signed_duration(rest_ns) + " to all other phases.",
      .height_px = static_cast<int>(120 + 34 * changed.cause.size())};
}

std::vector<document::Chapter> comparison_sections(
    std::span<const compare::Comparison> comparisons) {
  std::vector<document::Chapter> sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    sections.push_back(
        section_of(comparisons[i], i, comparisons.size() > 1 ? letter_of(i + 1) : ""));
  }
  return sections;
}

}  // namespace stepbench::report
