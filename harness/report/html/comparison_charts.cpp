// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_charts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_document.h"
#include "harness/report/html/comparison_tables.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxCauses = 6;  // cases whose step is taken apart in a figure
constexpr double kPercent = 100;

const compare::MetricResult* step_of(const compare::CaseResult& one) {
  const auto found = std::find_if(
      one.metrics.begin(), one.metrics.end(),
      [](const compare::MetricResult& metric) { return metric.of_step && metric.unit == "ns"; });
  return found == one.metrics.end() ? nullptr : &*found;
}

// `letter`: which of several it is, whose chapters are folded; empty: the only one.
document::Chapter section_of(const compare::Comparison& comparison, const std::string& id,
                             const std::string& letter) {
  const ComparisonNames names(comparison);
  document::Chapter section{
      .id = id, .title = "Before and after", .blocks = {}, .folded = !letter.empty()};
  if (section.folded) {
    section.title += ": A -> " + letter;
    section.blocks.emplace_back(
        document::Paragraph{comparison.base + " -> " + comparison.candidate});
  }
  if (auto figure = forest_figure(comparison)) section.blocks.emplace_back(std::move(*figure));
  document::Table metrics = metric_rows(comparison, names, true, true).table;
  metrics.title = "Every metric that was compared";
  section.blocks.emplace_back(std::move(metrics));
  std::size_t causes = 0;
  for (std::size_t i = 0; i < comparison.cases.size(); ++i) {
    auto figure = cause_figure(comparison, i);
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
                                             std::size_t place) {
  const compare::CaseResult& one = comparison.cases.at(place);
  const compare::MetricResult* step = step_of(one);
  // What one rank spends less another may wait for: such changes are not summed up.
  if (one.cause.empty() || step == nullptr || compare::ranks_differ(one.cause)) return std::nullopt;
  const double base_ns = step->test.base_median;
  const double candidate_ns = step->test.candidate_median;
  if (!std::isfinite(base_ns) || !std::isfinite(candidate_ns)) return std::nullopt;
  std::vector<std::string> labels = {"before"};
  std::vector<std::string> measures = {"absolute"};
  std::vector<double> values = {base_ns / kNsPerMs};
  std::vector<std::string> hovers = {"before: " + text::duration(base_ns)};
  double explained_ns = 0;
  for (const compare::PhaseChange& change : one.cause) {
    labels.push_back(change.phase);
    measures.emplace_back("relative");
    values.push_back(change.change_ns / kNsPerMs);
    std::string hover = change.phase + ": " + text::signed_duration(change.change_ns) + ", " +
                        text::significant(kPercent * change.share, 2) + " % of the change; " +
                        text::duration(change.base_ns) + " -> " +
                        text::duration(change.candidate_ns);
    if (std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high)) {
      hover += "; interval " + text::signed_duration(change.interval_ns.low) + " to " +
               text::signed_duration(change.interval_ns.high);
    }
    hovers.push_back(std::move(hover));
    explained_ns += change.change_ns;
  }
  const double rest_ns = candidate_ns - base_ns - explained_ns;
  labels.insert(labels.end(), {"(rest)", "after"});
  measures.insert(measures.end(), {"relative", "absolute"});
  values.insert(values.end(), {rest_ns / kNsPerMs, candidate_ns / kNsPerMs});
  hovers.push_back("all other phases: " + text::signed_duration(rest_ns));
  hovers.push_back("after: " + text::duration(candidate_ns));
  FigureJson figure;
  json::JsonText& json = figure.open_trace("waterfall");
  json.texts("measure", measures);
  add_numbers(json, "x", places_of(labels.size()));
  add_numbers(json, "y", values);
  add_texts(json, "hovertext", hovers);
  json.text("hoverinfo", "text");
  const auto colour = [&](std::string_view key, std::string_view value) {
    json.open_object(key).open_object("marker").text("color", value).close_object();
    json.close_object();
  };
  colour("increasing", kBadColour);
  colour("decreasing", kBestColour);
  colour("totals", kPlainColour);
  figure.close_trace();
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "", .tick_texts = labels});
  add_axis(layout, "yaxis", {.title = step->name + " [ms]", .from_zero = true});
  layout.flag("showlegend", false);
  const ComparisonNames names(comparison);
  return document::Figure{
      .title = "Where the time went: " + names.of(one),
      .alt = "From " + text::duration(base_ns) + " to " + text::duration(candidate_ns) + ": " +
             text::join(std::vector<std::string>(hovers.begin() + 1, hovers.end() - 1), "; ") + ".",
      .json = figure.take(),
      .note =
          "Each phase by the middle of its changes, the first and the last bar by "
          "medians: (rest) is what these leave, and phases that do not explain the "
          "change.",
      .height_px = 340};
}

std::vector<document::Chapter> comparison_sections(
    std::span<const compare::Comparison> comparisons) {
  std::vector<document::Chapter> sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string id = i == 0 ? "comparison" : "comparison-" + std::to_string(i + 1);
    sections.push_back(
        section_of(comparisons[i], id, comparisons.size() > 1 ? letter_of(i + 1) : ""));
  }
  return sections;
}

}  // namespace stepbench::report
