// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_names.h"
#include "harness/report/html/comparison_charts.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxForestRows = 60;
constexpr double kToPercent = 100;
constexpr int kMarkSize = 10;

struct ForestRow {
  std::string name;
  const compare::MetricResult* metric = nullptr;
};

// The step's verdicts before others', and before those that are ok.
int forest_rank(const compare::MetricResult& metric) {
  switch (metric.test.verdict) {
    case compare::Verdict::kRegression:
      return 0;
    case compare::Verdict::kSuspect:
      return 1;
    case compare::Verdict::kImprovement:
      return 2;
    case compare::Verdict::kInvalid:
      return 3;
    case compare::Verdict::kInconclusive:
      return 4;
    case compare::Verdict::kOk:
    case compare::Verdict::kNoData:
      break;
  }
  return 5;
}

constexpr std::array<MarkLook, 7> kForestKinds = {
    {{"worse", kBadColour, "triangle-right"},
     {"better", kBestColour, "triangle-left"},
     {"perhaps worse", kBadColour, "triangle-right-open"},
     {"perhaps better", kBestColour, "triangle-left-open"},
     {"ok: within the margin", kPlainColour, "circle"},
     {"not decided", kDimColour, "circle-open"},
     {"decides nothing", kDimColour, "x-thin-open"}}};

std::size_t forest_kind(const compare::MetricResult& metric) {
  if (!metric.decides) return 6;
  switch (metric.test.verdict) {
    case compare::Verdict::kRegression:
      return 0;
    case compare::Verdict::kImprovement:
      return 1;
    case compare::Verdict::kSuspect:
      return metric.test.slower ? 2 : 3;
    case compare::Verdict::kOk:
      return 4;
    case compare::Verdict::kInconclusive:
    case compare::Verdict::kInvalid:
    case compare::Verdict::kNoData:
      break;
  }
  return 5;
}

std::string forest_hover(const compare::Comparison& comparison, const ForestRow& row) {
  const compare::MetricResult& metric = *row.metric;
  const compare::TestResult& test = metric.test;
  const auto [base, candidate] =
      compared_values(test.base_median, test.candidate_median, metric.unit);
  std::vector<std::string> lines = {
      row.name,
      base + " -> " + candidate,
      "change " + change_text(test) + ", " +
          text::short_number(kToPercent * comparison.rule.confidence) + " % interval " +
          interval_text_of(test),
      "margin " + text::short_number(kToPercent * metric.margin) + " %, p adjusted " +
          adjusted_p_text(test.p_adjusted),
      verdict_text(test, needed_unit(comparison)) + (metric.decides ? "" : ", decides nothing"),
      text::counted(std::int64_t(test.pairs), "pair")};
  if (test.corrected_change) {
    lines.insert(lines.begin() + 3, "corrected for having been claimed: " + corrected_text(test));
  }
  return hover_text(lines);
}

// Bands behind the rows: what does not matter.
void add_margins(FigureJson& figure, const std::vector<ForestRow>& rows) {
  std::vector<double> places;
  std::vector<double> bases;
  std::vector<double> widths;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.push_back(static_cast<double>(i));
    bases.push_back(-kToPercent * rows[i].metric->margin);
    widths.push_back(2 * kToPercent * rows[i].metric->margin);
  }
  json::JsonText& json = figure.open_trace("bar", "margin: does not matter");
  json.text("orientation", "h");
  add_numbers(json, "y", places);
  add_numbers(json, "base", bases);
  add_numbers(json, "x", widths);
  json.json("width", "0.8").text("hoverinfo", "skip");
  json.open_object("marker").text("color", kDimColour).json("opacity", "0.3").close_object();
  figure.close_trace();
}

void add_kind(FigureJson& figure, const compare::Comparison& comparison,
              const std::vector<ForestRow>& rows, std::size_t kind) {
  std::vector<double> places;
  std::vector<double> changes;
  std::vector<stats::Interval> intervals;
  std::vector<std::string> hovers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const compare::TestResult& test = rows[i].metric->test;
    if (forest_kind(*rows[i].metric) != kind) continue;
    places.push_back(static_cast<double>(i));
    changes.push_back(kToPercent * *test.change);
    const bool known = std::isfinite(test.interval.high);
    const double none = std::numeric_limits<double>::quiet_NaN();
    intervals.push_back(
        known ? stats::Interval{kToPercent * test.interval.low, kToPercent * test.interval.high}
              : stats::Interval{none, none});
    hovers.push_back(forest_hover(comparison, rows[i]));
  }
  if (places.empty()) return;
  json::JsonText& json = figure.open_trace("scatter", kForestKinds.at(kind).name);
  json.text("mode", "markers");
  add_numbers(json, "x", changes);
  add_numbers(json, "y", places);
  add_intervals(json, "error_x", changes, intervals);
  add_hovers(json, hovers);
  add_marker(json, kForestKinds.at(kind), kMarkSize);
  figure.close_trace();
}

void add_control(FigureJson& figure, const compare::AaControl& control, std::size_t place) {
  const std::vector<double> changes = {kToPercent * *control.change};
  const std::vector<stats::Interval> intervals = {
      {kToPercent * control.interval.low, kToPercent * control.interval.high}};
  constexpr MarkLook kLook = {"base against itself", series_colour(2), "diamond"};
  json::JsonText& json = figure.open_trace("scatter", kLook.name);
  json.text("mode", "markers");
  add_numbers(json, "x", changes);
  add_numbers(json, "y", std::vector<double>{static_cast<double>(place)});
  add_intervals(json, "error_x", changes, intervals);
  const std::vector<std::string> lines = {
      "base against itself, step",
      text::signed_percent(*control.change) + " %, " +
          text::short_number(kToPercent * compare::kControlConfidence) + " % interval [" +
          text::signed_percent(control.interval.low) + ", " +
          text::signed_percent(control.interval.high) + "]",
      "what this campaign says where nothing changed"};
  add_hovers(json, std::vector<std::string>{hover_text(lines)});
  add_marker(json, kLook, kMarkSize);
  figure.close_trace();
}

}  // namespace

std::optional<document::Figure> forest_figure(const compare::Comparison& comparison) {
  const ComparisonNames names(comparison);
  std::vector<ForestRow> rows;
  std::size_t without = 0;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      if (!metric.test.change || !std::isfinite(*metric.test.change)) {
        ++without;
        continue;
      }
      rows.push_back({names.of(one) + ", " + metric.name, &metric});
    }
  }
  if (rows.empty()) return std::nullopt;
  const std::size_t all = rows.size();
  if (all > kMaxForestRows) {
    std::stable_sort(rows.begin(), rows.end(), [](const ForestRow& a, const ForestRow& b) {
      return forest_rank(*a.metric) < forest_rank(*b.metric);
    });
    rows.resize(kMaxForestRows);
  }
  FigureJson figure;
  add_margins(figure, rows);
  std::array<std::size_t, kForestKinds.size()> counts{};
  std::size_t open = 0;
  Axis y{.title = "", .downwards = true};
  for (const ForestRow& row : rows) {
    ++counts.at(forest_kind(*row.metric));
    open += std::isfinite(row.metric->test.interval.high) ? 0 : 1;
    y.tick_texts.push_back(row.name);
  }
  for (std::size_t kind = 0; kind < kForestKinds.size(); ++kind) {
    add_kind(figure, comparison, rows, kind);
  }
  if (comparison.aa_control.change) {
    add_control(figure, comparison.aa_control, rows.size());
    y.tick_texts.emplace_back("base against itself, step");
  }
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "change [%]; 0: as before"});
  add_axis(layout, "yaxis", y);
  std::vector<std::string> told;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts.at(kind) == 0) continue;
    told.push_back(std::to_string(counts.at(kind)) + ' ' + std::string(kForestKinds.at(kind).name));
  }
  std::vector<std::string> notes;
  if (all > kMaxForestRows) {
    notes.push_back("The " + std::to_string(kMaxForestRows) + " of " + std::to_string(all) +
                    " rows that matter most; the table has all.");
  }
  if (without > 0) {
    notes.push_back(text::counted(std::int64_t(without), "row") +
                    " without a change to draw: see the table.");
  }
  if (open > 0) {
    notes.push_back(text::counted(std::int64_t(open), "row") +
                    " without an interval: there were too few launches for one.");
  }
  return document::Figure{
      .title = "Changes with their intervals, against the margins",
      .alt = "For each case and metric its change in percent with its interval: " +
             text::join(told) + ".",
      .json = figure.take(),
      .note = text::join(notes, " "),
      .height_px = static_cast<int>(160 + 26 * y.tick_texts.size())};
}

}  // namespace stepbench::report
