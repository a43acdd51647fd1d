// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "harness/report/comparison_cells.h"
#include "harness/report/html/comparison_names.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxForestRows = 60;
constexpr std::size_t kMaxCauses = 6;  // cases whose step is taken apart in a figure
constexpr double kPercent = 100;
constexpr double kNsPerMs = 1e6;

struct ForestRow {
  std::string name;
  const MetricResult* metric = nullptr;
};

// The step's verdicts before others', and before those that are ok.
int forest_rank(const MetricResult& metric) {
  switch (metric.test.verdict) {
    case Verdict::kRegression:
      return 0;
    case Verdict::kSuspect:
      return 1;
    case Verdict::kImprovement:
      return 2;
    case Verdict::kInvalid:
      return 3;
    case Verdict::kInconclusive:
      return 4;
    case Verdict::kOk:
    case Verdict::kNoData:
      break;
  }
  return 5;
}

struct ForestKind {
  std::string_view name;
  std::string_view colour;
  std::string_view symbol;
};
// What a row is drawn as: colours differ, and so do the marks.
constexpr std::array<ForestKind, 5> kForestKinds = {
    {{"worse", kBadColour, "triangle-right"},
     {"better", kBestColour, "triangle-left"},
     {"ok: within the margin", kPlainColour, "circle"},
     {"not decided", kDimColour, "circle-open"},
     {"decides nothing", kDimColour, "x-thin-open"}}};

std::size_t forest_kind(const MetricResult& metric) {
  if (!metric.decides) return 4;
  switch (metric.test.verdict) {
    case Verdict::kRegression:
      return 0;
    case Verdict::kImprovement:
      return 1;
    case Verdict::kSuspect:
      return metric.test.slower ? 0 : 1;
    case Verdict::kOk:
      return 2;
    case Verdict::kInconclusive:
    case Verdict::kInvalid:
    case Verdict::kNoData:
      break;
  }
  return 3;
}

std::string more_of(const Comparison& comparison) {
  return comparison.looks.empty() ? "launches" : "pairs";
}

std::string forest_hover(const Comparison& comparison, const ForestRow& row) {
  const MetricResult& metric = *row.metric;
  const TestResult& test = metric.test;
  std::vector<std::string> lines = {
      row.name,
      compared_value(test.base_median, metric.unit) + " -> " +
          compared_value(test.candidate_median, metric.unit),
      "change " + change_text(test) + ", " + short_number(kPercent * comparison.rule.confidence) +
          " % interval " + interval_text_of(test),
      "margin " + short_number(kPercent * metric.margin) + " %, p adjusted " +
          adjusted_p_text(test.p_adjusted),
      verdict_text(test, more_of(comparison)) + (metric.decides ? "" : ", decides nothing"),
      counted(std::int64_t(test.pairs), "pair")};
  for (std::string& line : lines) line = plotly_text(line);
  return hover_lines(lines);
}

// Bands behind the rows: what does not matter.
void add_margins(FigureJson& figure, const std::vector<ForestRow>& rows) {
  std::vector<double> places;
  std::vector<double> bases;
  std::vector<double> widths;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.push_back(static_cast<double>(i));
    bases.push_back(-kPercent * rows[i].metric->margin);
    widths.push_back(2 * kPercent * rows[i].metric->margin);
  }
  JsonText& json = figure.open_trace("bar", "margin: does not matter");
  json.text("orientation", "h");
  add_numbers(json, "y", places);
  add_numbers(json, "base", bases);
  add_numbers(json, "x", widths);
  json.json("width", "0.8").text("hoverinfo", "skip");
  json.open_object("marker").text("color", kDimColour).json("opacity", "0.3").close_object();
  figure.close_trace();
}

void add_kind(FigureJson& figure, const Comparison& comparison, const std::vector<ForestRow>& rows,
              std::size_t kind) {
  std::vector<double> places;
  std::vector<double> changes;
  std::vector<Interval> intervals;
  std::vector<std::string> hovers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TestResult& test = rows[i].metric->test;
    if (forest_kind(*rows[i].metric) != kind) continue;
    places.push_back(static_cast<double>(i));
    changes.push_back(kPercent * *test.change);
    const bool known = std::isfinite(test.interval.high);
    const double none = std::numeric_limits<double>::quiet_NaN();
    intervals.push_back(known
                            ? Interval{kPercent * test.interval.low, kPercent * test.interval.high}
                            : Interval{none, none});
    hovers.push_back(forest_hover(comparison, rows[i]));
  }
  if (places.empty()) return;
  JsonText& json = figure.open_trace("scatter", kForestKinds.at(kind).name);
  json.text("mode", "markers");
  add_numbers(json, "x", changes);
  add_numbers(json, "y", places);
  add_intervals(json, "error_x", changes, intervals);
  json.texts("hovertext", hovers).text("hoverinfo", "text");
  json.open_object("marker").text("color", kForestKinds.at(kind).colour);
  json.text("symbol", kForestKinds.at(kind).symbol).integer("size", 10).close_object();
  figure.close_trace();
}

void add_control(FigureJson& figure, const AaControl& control, std::size_t place) {
  const std::vector<double> changes = {kPercent * *control.change};
  const std::vector<Interval> intervals = {
      {kPercent * control.interval.low, kPercent * control.interval.high}};
  JsonText& json = figure.open_trace("scatter", "base against itself");
  json.text("mode", "markers");
  add_numbers(json, "x", changes);
  add_numbers(json, "y", std::vector<double>{static_cast<double>(place)});
  add_intervals(json, "error_x", changes, intervals);
  const std::vector<std::string> lines = {
      "base against itself, step",
      signed_percent(*control.change) + " %, " + short_number(kPercent * kControlConfidence) +
          " % interval [" + signed_percent(control.interval.low) + ", " +
          signed_percent(control.interval.high) + "]",
      "what this campaign says where nothing changed"};
  json.texts("hovertext", std::vector<std::string>{hover_lines(lines)}).text("hoverinfo", "text");
  json.open_object("marker").text("color", series_colour(2)).text("symbol", "diamond");
  json.integer("size", 10).close_object();
  figure.close_trace();
}

const MetricResult* step_of(const CaseResult& one) {
  const auto found = std::find_if(
      one.metrics.begin(), one.metrics.end(),
      [](const MetricResult& metric) { return metric.of_step && metric.unit == "ns"; });
  return found == one.metrics.end() ? nullptr : &*found;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

PageTable metrics_table(const Comparison& comparison, const ComparisonNames& names) {
  const bool looked = !comparison.looks.empty();
  PageTable table{
      .title = "Every metric that was compared",
      .columns = {{.head = "case"},
                  {.head = "metric"},
                  {.head = looked ? "A" : "base", .number = true},
                  {.head = looked ? "B" : "new", .number = true},
                  {.head = "change", .number = true},
                  {.head = short_number(kPercent * comparison.rule.confidence) + " % interval"},
                  {.head = "margin", .number = true},
                  {.head = "p adj", .number = true},
                  {.head = "pairs", .number = true},
                  {.head = "verdict"}},
      .rows = {}};
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) {
      const TestResult& test = metric.test;
      const std::string verdict = verdict_text(test, more_of(comparison));
      const std::size_t pairs = looked ? one.ended_at : test.pairs;
      table.rows.push_back(
          {{.text = names.of(one)},
           {.text = metric.name},
           {.text = compared_value(test.base_median, metric.unit),
            .value = finite(test.base_median)},
           {.text = compared_value(test.candidate_median, metric.unit),
            .value = finite(test.candidate_median)},
           {.text = change_text(test), .value = test.change},
           {.text = interval_text_of(test)},
           {.text = short_number(kPercent * metric.margin) + " %", .value = metric.margin},
           {.text = adjusted_p_text(test.p_adjusted), .value = finite(test.p_adjusted)},
           {.text = std::to_string(pairs), .value = static_cast<double>(pairs)},
           {.text = metric.decides ? verdict : '(' + verdict + ')'}});
      const std::size_t kind = forest_kind(metric);
      table.tones.push_back(kind == 0 ? Tone::kBad : kind == 1 ? Tone::kGood : Tone::kPlain);
    }
  }
  return table;
}

std::optional<PageTable> gates_table(const Comparison& comparison, const ComparisonNames& names) {
  PageTable table{.title = "Gates that did not pass, and the drift",
                  .columns = {{.head = "gate"},
                              {.head = "case"},
                              {.head = "state"},
                              {.head = "value", .number = true},
                              {.head = "warns at", .number = true},
                              {.head = "fails at", .number = true},
                              {.head = "what was seen"}},
                  .rows = {}};
  const auto limit = [](const std::optional<double>& value) {
    return PageCell{.text = value ? significant(*value) : "-", .value = value};
  };
  for (const Gate& gate : comparison.gates) {
    table.rows.push_back(
        {{.text = gate.name},
         {.text = gate.case_id.empty() ? "all" : names.short_id(gate.case_id)},
         {.text = std::string(name_of(gate.state)) + (gate.allowed ? ", allowed" : "")},
         {.text = significant(gate.value), .value = finite(gate.value)},
         limit(gate.warns_at),
         limit(gate.fails_at),
         {.text = gate.text}});
    table.tones.push_back(gate.state == GateState::kFailed    ? Tone::kBad
                          : gate.state == GateState::kWarning ? Tone::kDoubt
                                                              : Tone::kPlain);
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

PageTable causes_table(const Comparison& comparison, const ComparisonNames& names) {
  PageTable table{.title = "Phases that explain a changed step",
                  .columns = {{.head = "case"},
                              {.head = "phase"},
                              {.head = "before", .number = true},
                              {.head = "after", .number = true},
                              {.head = "change per step", .number = true},
                              {.head = "interval"},
                              {.head = "share of the change", .number = true}},
                  .rows = {}};
  for (const CaseResult& one : comparison.cases) {
    for (const PhaseChange& change : one.cause) {
      const bool known =
          std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high);
      table.rows.push_back(
          {{.text = names.of(one)},
           {.text = change.phase},
           {.text = compared_value(change.base_ns, "ns"), .value = finite(change.base_ns)},
           {.text = compared_value(change.candidate_ns, "ns"),
            .value = finite(change.candidate_ns)},
           {.text = signed_duration(change.change_ns), .value = finite(change.change_ns)},
           {.text = known ? signed_duration(change.interval_ns.low) + " to " +
                                signed_duration(change.interval_ns.high)
                          : "-"},
           {.text = significant(kPercent * change.share, 2) + " %",
            .value = finite(change.share)}});
    }
  }
  return table;
}

std::optional<PageTable> op_changes_table(const Comparison& comparison,
                                          const ComparisonNames& names) {
  PageTable table{.title = "Operations that changed",
                  .columns = {{.head = "case"},
                              {.head = "op"},
                              {.head = "phase"},
                              {.head = "input shapes"},
                              {.head = "calls/step before", .number = true},
                              {.head = "calls/step after", .number = true},
                              {.head = "share before", .number = true},
                              {.head = "share after", .number = true},
                              {.head = "time per step", .number = true}},
                  .rows = {}};
  for (const CaseResult& one : comparison.cases) {
    for (const OpChange& op : one.ops) {
      table.rows.push_back(
          {{.text = names.of(one)},
           {.text = op.name},
           {.text = op.phase},
           {.text = op.shapes},
           {.text = significant(op.base_calls), .value = op.base_calls},
           {.text = significant(op.candidate_calls), .value = op.candidate_calls},
           {.text = percent_text(op.base_share), .value = op.base_share},
           {.text = percent_text(op.candidate_share), .value = op.candidate_share},
           {.text = op.change_ns ? signed_duration(*op.change_ns) : "-", .value = op.change_ns}});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

std::optional<PageTable> missing_table(const Comparison& comparison, const ComparisonNames& names) {
  PageTable table{.title = "Cases that only one side has",
                  .columns = {{.head = "only in"}, {.head = "case"}, {.head = "id"}},
                  .rows = {}};
  const bool arms = !comparison.looks.empty();
  const auto add = [&](const std::vector<MissingCase>& cases, const std::string& side) {
    for (const MissingCase& one : cases) {
      table.rows.push_back({{.text = side}, {.text = names.of(one)}, {.text = one.case_id}});
    }
  };
  add(comparison.only_base, arms ? "arm A" : comparison.base);
  add(comparison.only_candidate, arms ? "arm B" : comparison.candidate);
  if (table.rows.empty()) return std::nullopt;
  return table;
}

PageSection section_of(const Comparison& comparison, const std::string& id, bool named) {
  const ComparisonNames names(comparison);
  PageSection section{.id = id, .title = "Before and after", .blocks = {}};
  if (named) section.title += ": " + comparison.base + " -> " + comparison.candidate;
  if (auto figure = forest_figure(comparison)) section.blocks.emplace_back(std::move(*figure));
  section.blocks.emplace_back(metrics_table(comparison, names));
  std::size_t causes = 0;
  for (std::size_t i = 0; i < comparison.cases.size(); ++i) {
    auto figure = cause_figure(comparison, i);
    if (!figure || ++causes > kMaxCauses) continue;
    section.blocks.emplace_back(std::move(*figure));
  }
  if (causes > 0) section.blocks.emplace_back(causes_table(comparison, names));
  if (causes > kMaxCauses) {
    section.blocks.emplace_back(Paragraph{"The steps of the first " + std::to_string(kMaxCauses) +
                                          " of " + counted(std::int64_t(causes), "changed case") +
                                          " are drawn; the table has all."});
  }
  for (auto table : {op_changes_table(comparison, names), gates_table(comparison, names),
                     missing_table(comparison, names)}) {
    if (table) section.blocks.emplace_back(std::move(*table));
  }
  return section;
}

}  // namespace

std::optional<Figure> forest_figure(const Comparison& comparison) {
  const ComparisonNames names(comparison);
  std::vector<ForestRow> rows;
  std::size_t without = 0;
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) {
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
  JsonText& layout = figure.layout();
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
    notes.push_back(counted(std::int64_t(without), "row") +
                    " without a change to draw: see the table.");
  }
  if (open > 0) {
    notes.push_back(counted(std::int64_t(open), "row") +
                    " without an interval: there were too few launches for one.");
  }
  return Figure{.title = "Changes with their intervals, against the margins",
                .alt = "For each case and metric its change in percent with its interval: " +
                       join(told) + ".",
                .json = figure.take(),
                .note = join(notes, " "),
                .height_px = static_cast<int>(160 + 26 * y.tick_texts.size())};
}

std::optional<Figure> cause_figure(const Comparison& comparison, std::size_t place) {
  const CaseResult& one = comparison.cases.at(place);
  const MetricResult* step = step_of(one);
  if (one.cause.empty() || step == nullptr) return std::nullopt;
  const double base_ns = step->test.base_median;
  const double candidate_ns = step->test.candidate_median;
  if (!std::isfinite(base_ns) || !std::isfinite(candidate_ns)) return std::nullopt;
  std::vector<std::string> labels = {"before"};
  std::vector<std::string> measures = {"absolute"};
  std::vector<double> values = {base_ns / kNsPerMs};
  std::vector<std::string> hovers = {"before: " + duration(base_ns)};
  double explained_ns = 0;
  for (const PhaseChange& change : one.cause) {
    labels.push_back(change.phase);
    measures.emplace_back("relative");
    values.push_back(change.change_ns / kNsPerMs);
    std::string hover = change.phase + ": " + signed_duration(change.change_ns) + ", " +
                        significant(kPercent * change.share, 2) + " % of the change; " +
                        duration(change.base_ns) + " -> " + duration(change.candidate_ns);
    if (std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high)) {
      hover += "; interval " + signed_duration(change.interval_ns.low) + " to " +
               signed_duration(change.interval_ns.high);
    }
    hovers.push_back(std::move(hover));
    explained_ns += change.change_ns;
  }
  const double rest_ns = candidate_ns - base_ns - explained_ns;
  labels.insert(labels.end(), {"(rest)", "after"});
  measures.insert(measures.end(), {"relative", "absolute"});
  values.insert(values.end(), {rest_ns / kNsPerMs, candidate_ns / kNsPerMs});
  hovers.push_back("all other phases: " + signed_duration(rest_ns));
  hovers.push_back("after: " + duration(candidate_ns));
  std::vector<double> places(labels.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  FigureJson figure;
  JsonText& json = figure.open_trace("waterfall");
  json.texts("measure", measures);
  add_numbers(json, "x", places);
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
  JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "", .tick_texts = labels});
  add_axis(layout, "yaxis", {.title = step->name + " [ms]", .from_zero = true});
  layout.flag("showlegend", false);
  const ComparisonNames names(comparison);
  return Figure{.title = "Where the time went: " + names.of(one),
                .alt = "From " + duration(base_ns) + " to " + duration(candidate_ns) + ": " +
                       join(std::vector<std::string>(hovers.begin() + 1, hovers.end() - 1), "; ") +
                       ".",
                .json = figure.take(),
                .note =
                    "Each phase by the middle of its changes, the first and the last bar by "
                    "medians: (rest) is what these leave, and phases that do not explain the "
                    "change.",
                .height_px = 340};
}

std::vector<PageSection> comparison_sections(std::span<const Comparison> comparisons) {
  std::vector<PageSection> sections;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string id = i == 0 ? "comparison" : "comparison-" + std::to_string(i + 1);
    sections.push_back(section_of(comparisons[i], id, comparisons.size() > 1));
  }
  return sections;
}

}  // namespace stepbench
