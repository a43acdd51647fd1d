// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_tables.h"

#include <cmath>

#include "harness/report/comparison_cells.h"
#include "harness/report/html/grid_table.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr double kHundred = 100;

Tone tone_of(const compare::MetricResult& metric) {
  if (!metric.decides) return Tone::kPlain;
  const compare::TestResult& test = metric.test;
  if (test.verdict == compare::Verdict::kRegression) return Tone::kBad;
  if (test.verdict == compare::Verdict::kImprovement) return Tone::kGood;
  if (test.verdict == compare::Verdict::kSuspect) return test.slower ? Tone::kBad : Tone::kGood;
  return Tone::kPlain;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

std::string needed_unit(const compare::Comparison& comparison) {
  return comparison.looks.empty() ? "launches" : "pairs";
}

PageTable metrics_table(const compare::Comparison& comparison, const ComparisonNames& names) {
  const bool looked = !comparison.looks.empty();
  PageTable table{.title = "Every metric that was compared",
                  .columns = {{.head = "case"},
                              {.head = "metric"},
                              {.head = looked ? "A" : "base", .number = true},
                              {.head = looked ? "B" : "new", .number = true},
                              {.head = "change", .number = true},
                              {.head = text::short_number(kHundred * comparison.rule.confidence) +
                                       " % interval"},
                              {.head = "corrected", .number = true},
                              {.head = "margin", .number = true},
                              {.head = "p adj", .number = true},
                              {.head = "pairs", .number = true},
                              {.head = "verdict"}},
                  .rows = {}};
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      const compare::TestResult& test = metric.test;
      const std::string verdict = verdict_text(test, needed_unit(comparison));
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
           {.text = corrected_text(test), .value = test.corrected_change},
           {.text = text::short_number(kHundred * metric.margin) + " %", .value = metric.margin},
           {.text = adjusted_p_text(test.p_adjusted), .value = finite(test.p_adjusted)},
           {.text = std::to_string(pairs), .value = static_cast<double>(pairs)},
           {.text = metric.decides ? verdict : '(' + verdict + ')'}});
      table.tones.push_back(tone_of(metric));
    }
  }
  return table;
}

std::optional<PageTable> gates_table(const compare::Comparison& comparison,
                                     const ComparisonNames& names) {
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
    return PageCell{.text = value ? text::significant(*value) : "-", .value = value};
  };
  for (const compare::Gate& gate : comparison.gates) {
    table.rows.push_back(
        {{.text = gate.name},
         {.text = gate.case_id.empty() ? "all" : names.short_id(gate.case_id)},
         {.text = std::string(compare::name_of(gate.state)) + (gate.allowed ? ", allowed" : "")},
         {.text = text::significant(gate.value), .value = finite(gate.value)},
         limit(gate.warns_at),
         limit(gate.fails_at),
         {.text = gate.text}});
    table.tones.push_back(gate.state == compare::GateState::kFailed    ? Tone::kBad
                          : gate.state == compare::GateState::kWarning ? Tone::kDoubt
                                                                       : Tone::kPlain);
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

PageTable causes_table(const compare::Comparison& comparison, const ComparisonNames& names) {
  PageTable table{.title = "Phases that explain a changed step",
                  .columns = {{.head = "case"},
                              {.head = "phase"},
                              {.head = "before", .number = true},
                              {.head = "after", .number = true},
                              {.head = "change per step", .number = true},
                              {.head = "interval"},
                              {.head = "share of the change", .number = true}},
                  .rows = {}};
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::PhaseChange& change : one.cause) {
      const bool known =
          std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high);
      table.rows.push_back(
          {{.text = names.of(one)},
           {.text = change.phase},
           {.text = compared_value(change.base_ns, "ns"), .value = finite(change.base_ns)},
           {.text = compared_value(change.candidate_ns, "ns"),
            .value = finite(change.candidate_ns)},
           {.text = text::signed_duration(change.change_ns), .value = finite(change.change_ns)},
           {.text = known ? text::signed_duration(change.interval_ns.low) + " to " +
                                text::signed_duration(change.interval_ns.high)
                          : "-"},
           {.text = text::significant(kHundred * change.share, 2) + " %",
            .value = finite(change.share)}});
    }
  }
  return table;
}

std::optional<PageTable> op_changes_table(const compare::Comparison& comparison,
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
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::OpChange& op : one.ops) {
      table.rows.push_back(
          {{.text = names.of(one)},
           {.text = op.name},
           {.text = op.phase},
           {.text = op.shapes},
           number_cell(op.base_calls),
           number_cell(op.candidate_calls),
           {.text = text::percent_text(op.base_share), .value = op.base_share},
           {.text = text::percent_text(op.candidate_share), .value = op.candidate_share},
           {.text = op.change_ns ? text::signed_duration(*op.change_ns) : "-",
            .value = op.change_ns}});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

std::optional<PageTable> missing_table(const compare::Comparison& comparison,
                                       const ComparisonNames& names) {
  PageTable table{.title = "Cases that only one side has",
                  .columns = {{.head = "only in"}, {.head = "case"}, {.head = "id"}},
                  .rows = {}};
  const bool arms = !comparison.looks.empty();
  const auto add = [&](const std::vector<compare::MissingCase>& cases, const std::string& side) {
    for (const compare::MissingCase& one : cases) {
      table.rows.push_back({{.text = side}, {.text = names.of(one)}, {.text = one.case_id}});
    }
  };
  add(comparison.only_base, arms ? "arm A" : comparison.base);
  add(comparison.only_candidate, arms ? "arm B" : comparison.candidate);
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace stepbench::report
