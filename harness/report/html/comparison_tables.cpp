// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/comparison_tables.h"

#include <cmath>

#include "harness/document/cells.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr double kHundred = 100;

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

document::Table gates_table(const compare::Comparison& comparison, const ComparisonNames& names) {
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
               {text::significant(kHundred * change.share, 2) + " %", finite(change.share)}}});
    }
  }
  return table;
}

document::Table op_changes_table(const compare::Comparison& comparison,
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
  return table;
}

document::Table missing_table(const compare::Comparison& comparison, const ComparisonNames& names) {
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
  return table;
}

}  // namespace stepbench::report
