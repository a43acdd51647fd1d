// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "harness/report/comparison_names.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/comparison_charts.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxForestRows = 60;

struct ForestRow {
  std::string name;
  std::size_t one = 0;     // index of the case
  std::size_t metric = 0;  // index within the case
  const compare::MetricResult* result = nullptr;
};

// Sorts verdicts of the step before others, and both before those that are ok.
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

constexpr std::array<std::string_view, 7> kForestKinds = {
    "worse",       "better",         "perhaps worse", "perhaps better", "ok: within the margin",
    "not decided", "decides nothing"};

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

}  // namespace

std::optional<document::Figure> forest_figure(const compare::Comparison& comparison,
                                              std::size_t place) {
  const ComparisonNames names(comparison);
  std::vector<ForestRow> rows;
  std::size_t without = 0;
  for (std::size_t one = 0; one < comparison.cases.size(); ++one) {
    const std::vector<compare::MetricResult>& metrics = comparison.cases[one].metrics;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const auto& change = metrics[i].test.change;
      if (!change || !std::isfinite(*change)) {
        ++without;
        continue;
      }
      rows.push_back(
          {names.of(comparison.cases[one]) + ", " + metrics[i].name, one, i, &metrics[i]});
    }
  }
  if (rows.empty()) return std::nullopt;
  const std::size_t all = rows.size();
  if (all > kMaxForestRows) {
    std::ranges::stable_sort(rows, {},
                             [](const ForestRow& row) { return forest_rank(*row.result); });
    rows.resize(kMaxForestRows);
  }
  json::JsonText json = chart("forest");
  json.integer("comparison", static_cast<std::int64_t>(place)).open_array("rows");
  std::array<std::size_t, kForestKinds.size()> counts{};
  std::int64_t open = 0;
  for (const ForestRow& row : rows) {
    json.open_array().integer({}, static_cast<std::int64_t>(row.one));
    json.integer({}, static_cast<std::int64_t>(row.metric)).text({}, row.name).close_array();
    ++counts.at(forest_kind(*row.result));
    open += std::isfinite(row.result->test.interval.high) ? 0 : 1;
  }
  json.close_array().close_object();
  std::vector<std::string> count_labels;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts.at(kind) == 0) continue;
    count_labels.push_back(std::to_string(counts.at(kind)) + ' ' +
                           std::string(kForestKinds.at(kind)));
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
    notes.push_back(text::counted(open, "row") +
                    " without an interval: there were too few launches for one.");
  }
  const std::size_t lines = rows.size() + (comparison.aa_control.change ? 1 : 0);
  return document::Figure{
      .title = "Changes with their intervals, against the margins",
      .alt = "For each case and metric its change in percent with its interval: " +
             text::join(count_labels) + ".",
      .json = json.take(),
      .note = text::join(notes, " "),
      .height_px = static_cast<int>(160 + 26 * lines)};
}

}  // namespace stepbench::report
