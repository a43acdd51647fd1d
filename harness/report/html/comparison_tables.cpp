// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_tables.h"

#include <cmath>

#include "harness/document/cells.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/html/grid_table.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr double kHundred = 100;

document::Tone tone_of(const compare::MetricResult& metric) {
  if (!metric.decides) return document::Tone::kPlain;
  const compare::TestResult& test = metric.test;
  if (test.verdict == compare::Verdict::kRegression) return document::Tone::kBad;
  if (test.verdict == compare::Verdict::kImprovement) return document::Tone::kGood;
  if (test.verdict == compare::Verdict::kSuspect)
    return test.slower ? document::Tone::kBad : document::Tone::kGood;
  return document::Tone::kPlain;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

std::string needed_unit(const compare::Comparison& comparison) {
  return comparison.looks.empty() ? "launches" : "pairs";
}

document::Table metrics_table(const compare::Comparison& comparison, const ComparisonNames& names) {
  const bool looked = !comparison.looks.empty();
  document::Table table{
      .title = "Every metric that was compared",
      .columns = {document::words("case"),
                  document::words("metric"),
                  {.head = looked ? "A" : "base"},
                  {.head = looked ? "B" : "new"},
                  {.head = "change"},
                  document::words(text::short_number(kHundred * comparison.rule.confidence) +
                                  " % interval"),
                  {.head = "corrected"},
                  {.head = "margin"},
                  {.head = "p adj"},
                  {.head = "pairs"},
                  document::words("verdict")},
      .rows = {}};
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      const compare::TestResult& test = metric.test;
      const std::string verdict = verdict_text(test, needed_unit(comparison));
      const std::size_t pairs = looked ? one.ended_at : test.pairs;
      table.rows.push_back(
          {.cells = {
               names.of(one),
               metric.name,
               {compared_value(test.base_median, metric.unit), finite(test.base_median)},
               {compared_value(test.candidate_median, metric.unit), finite(test.candidate_median)},
               {change_text(test), test.change},
               interval_text_of(test),
               {corrected_text(test), test.corrected_change},
               {text::short_number(kHundred * metric.margin) + " %", metric.margin},
               {adjusted_p_text(test.p_adjusted), finite(test.p_adjusted)},
               {std::to_string(pairs), static_cast<double>(pairs)},
               metric.decides ? verdict : '(' + verdict + ')'}});
      table.rows.back().tone = tone_of(metric);
    }
  }
  return table;
}

std::optional<document::Table> gates_table(const compare::Comparison& comparison,
                                           const ComparisonNames& names) {
  document::Table table{.title = "Gates that did not pass, and the drift",
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
  for (const compare::Gate& gate : comparison.gates) {
    table.rows.push_back(
        {.cells = {gate.name,
                   gate.case_id.empty() ? "all" : names.short_id(gate.case_id),
                   std::string(compare::name_of(gate.state)) + (gate.allowed ? ", allowed" : ""),
                   {text::significant(gate.value), finite(gate.value)},
                   limit(gate.warns_at),
                   limit(gate.fails_at),
                   gate.text}});
    table.rows.back().tone = gate.state == compare::GateState::kFailed    ? document::Tone::kBad
                             : gate.state == compare::GateState::kWarning ? document::Tone::kDoubt
                                                                          : document::Tone::kPlain;
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

document::Table causes_table(const compare::Comparison& comparison, const ComparisonNames& names) {
  document::Table table{.title = "Phases that explain a changed step",
                        .columns = {document::words("case"),
                                    document::words("phase"),
                                    {.head = "before"},
                                    {.head = "after"},
                                    {.head = "change per step"},
                                    document::words("interval"),
                                    {.head = "share of the change"}},
                        .rows = {}};
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::PhaseChange& change : one.cause) {
      const bool known =
          std::isfinite(change.interval_ns.low) && std::isfinite(change.interval_ns.high);
      table.rows.push_back(
          {.cells = {
               names.of(one),
               change.phase,
               {compared_value(change.base_ns, "ns"), finite(change.base_ns)},
               {compared_value(change.candidate_ns, "ns"), finite(change.candidate_ns)},
               {text::signed_duration(change.change_ns), finite(change.change_ns)},
               known ? text::signed_duration(change.interval_ns.low) + " to " +
                           text::signed_duration(change.interval_ns.high)
                     : "-",
               {text::significant(kHundred * change.share, 2) + " %", finite(change.share)}}});
    }
  }
  return table;
}

std::optional<document::Table> op_changes_table(const compare::Comparison& comparison,
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
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::OpChange& op : one.ops) {
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
  if (table.rows.empty()) return std::nullopt;
  return table;
}

std::optional<document::Table> missing_table(const compare::Comparison& comparison,
                                             const ComparisonNames& names) {
  document::Table table{
      .title = "Cases that only one side has",
      .columns = {document::words("only in"), document::words("case"), document::words("id")},
      .rows = {}};
  const bool arms = !comparison.looks.empty();
  const auto add = [&](const std::vector<compare::MissingCase>& cases, const std::string& side) {
    for (const compare::MissingCase& one : cases) {
      table.rows.push_back({.cells = {side, names.of(one), one.case_id}});
    }
  };
  add(comparison.only_base, arms ? "arm A" : comparison.base);
  add(comparison.only_candidate, arms ? "arm B" : comparison.candidate);
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace stepbench::report
