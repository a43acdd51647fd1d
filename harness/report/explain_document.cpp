// SPDX-License-Identifier: Apache-2.0
#include "harness/report/explain_document.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/document/cells.h"
#include "harness/json/json_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using compare::CaseSplit;
using compare::ControlRatio;
using compare::Explanation;
using compare::PhaseSplit;
using compare::TimesRatio;
using compare::Told;

// "1.24x [1.21 to 1.27]"
std::string times_text(const TimesRatio& ratio) {
  std::string text = text::significant(ratio.value) + "x";
  if (std::isfinite(ratio.interval.high) && ratio.interval.low > 0) {
    text += " [" + text::significant(ratio.interval.low) + ", " +
            text::significant(ratio.interval.high) + "]";
  }
  return text;
}

document::Cell ratio_cell(const std::optional<TimesRatio>& ratio) {
  if (!ratio) return "-";
  return {times_text(*ratio), ratio->value};
}

void write_ratio(json::JsonText& json, std::string_view key,
                 const std::optional<TimesRatio>& ratio) {
  if (!ratio) {
    json.null(key);
    return;
  }
  json.open_object(key)
      .number("value", ratio->value)
      .number("low", ratio->interval.low)
      .number("high", ratio->interval.high)
      .close_object();
}

std::optional<TimesRatio> measured_ratio(const PhaseSplit& split) {
  if (split.a_ns <= 0 || split.b_ns <= 0) return std::nullopt;
  return split.ratio;
}

std::string told_text(const PhaseSplit& split) {
  switch (split.told) {
    case Told::kAsPredicted:
      return "as predicted";
    case Told::kSlower:
      return "slower than predicted";
    case Told::kFaster:
      return "faster than predicted";
    case Told::kWithin:
      return "cannot be told: the range is too wide";
    case Told::kUnknown:
      return "cannot be told: " + split.why_not;
  }
  return {};
}

// A column of the phases: what a table shows and what JSON holds of it.
struct SplitColumn {
  document::Column column;
  document::Cell (*cell)(const PhaseSplit& split);
  void (*write)(const PhaseSplit& split, json::JsonText& json);
};

const std::vector<SplitColumn>& split_columns() {
  static const std::vector<SplitColumn> columns = {
      {document::words("phase"),
       [](const PhaseSplit& split) { return document::Cell(split.phase); },
       [](const PhaseSplit& split, json::JsonText& json) {
         json.text("phase", split.phase).flag("part", split.part);
       }},
      {{.head = "A"},
       [](const PhaseSplit& split) { return document::duration(split.a_ns); },
       [](const PhaseSplit& split, json::JsonText& json) { json.number("a_ns", split.a_ns); }},
      {{.head = "B"},
       [](const PhaseSplit& split) { return document::duration(split.b_ns); },
       [](const PhaseSplit& split, json::JsonText& json) { json.number("b_ns", split.b_ns); }},
      {{.head = "B / A"},
       [](const PhaseSplit& split) { return ratio_cell(measured_ratio(split)); },
       [](const PhaseSplit& split, json::JsonText& json) {
         write_ratio(json, "ratio", measured_ratio(split));
       }},
      {{.head = "predicted"},
       [](const PhaseSplit& split) { return ratio_cell(split.predicted); },
       [](const PhaseSplit& split, json::JsonText& json) {
         write_ratio(json, "predicted", split.predicted);
       }},
      {{.head = "by", .left = true, .drop_at = 1, .shrink_at = 2},
       [](const PhaseSplit& split) {
         return document::Cell(split.controls.empty()
                                   ? std::string("-")
                                   : text::join(split.controls) +
                                         (split.by_operations ? ", as operations say" : ""));
       },
       [](const PhaseSplit& split, json::JsonText& json) {
         json.texts("controls", split.controls).flag("by_operations", split.by_operations);
       }},
      {{.head = "rest"},
       [](const PhaseSplit& split) { return ratio_cell(split.rest); },
       [](const PhaseSplit& split, json::JsonText& json) {
         write_ratio(json, "rest", split.rest);
       }},
      {document::words("verdict"),
       [](const PhaseSplit& split) { return document::Cell(told_text(split)); },
       [](const PhaseSplit& split, json::JsonText& json) {
         json.text("told", compare::name_of(split.told));
         if (!split.why_not.empty()) json.text("why_not", split.why_not);
       }},
  };
  return columns;
}

document::Table split_table(const CaseSplit& one) {
  document::Table table{};
  for (const SplitColumn& column : split_columns()) table.columns.push_back(column.column);
  for (const PhaseSplit& split : one.phases) {
    document::TableRow row;
    for (const SplitColumn& column : split_columns()) row.cells.push_back(column.cell(split));
    if (split.told == Told::kSlower) row.tone = document::Tone::kBad;
    if (split.told == Told::kFaster) row.tone = document::Tone::kGood;
    if (split.told == Told::kWithin || split.told == Told::kUnknown) {
      row.tone = document::Tone::kDoubt;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string between_ns(const stats::Interval& interval) {
  return " [" + text::signed_duration(interval.low) + ", " + text::signed_duration(interval.high) +
         "]";
}

// "a step takes 1.24x [1.21, 1.27] on B (12.3 ms -> 15.3 ms, +3.00 ms): the controls predict ..."
std::string split_answer(const CaseSplit& one) {
  if (one.a_launches == 0 || one.b_launches == 0) return one.why_not;
  const double change = one.step.b_ns - one.step.a_ns;
  std::string text = "a step takes " + times_text(one.step.ratio) + " on B (" +
                     text::duration(one.step.a_ns) + " -> " + text::duration(one.step.b_ns) + ", " +
                     text::signed_duration(change) + ")";
  if (!one.why_not.empty()) return text + "; why cannot be told: " + one.why_not;
  const bool some = std::ranges::any_of(
      one.phases, [](const PhaseSplit& phase) { return phase.part && phase.predicted; });
  if (!some) return text + "; why cannot be told: no control speaks of a phase of it";
  text += ": the controls predict " + text::signed_duration(one.predicted_ns) +
          between_ns(one.predicted_interval_ns) + ", the rest is " +
          text::signed_duration(one.rest_ns);
  constexpr double kOfNote = 0.01;  // of the step
  if (std::abs(one.unknown_ns) < kOfNote * one.step.a_ns) return text;
  return text + "; of " + text::signed_duration(one.unknown_ns) + " nothing can be told";
}

std::vector<document::Line> below_case(const CaseSplit& one) {
  std::vector<document::Line> lines;
  for (const PhaseSplit& phase : one.phases) {
    if (phase.told != Told::kSlower && phase.told != Told::kFaster) continue;
    lines.emplace_back(phase.phase + " takes " + times_text(*phase.rest) +
                       " of what the controls predict: " +
                       text::signed_duration(phase.b_ns - phase.a_ns * phase.predicted->value));
  }
  return lines;
}

document::Tone tone_of_case(const CaseSplit& one) {
  for (const PhaseSplit& phase : one.phases) {
    if (phase.told == Told::kSlower) return document::Tone::kBad;
  }
  const bool told = std::ranges::any_of(
      one.phases, [](const PhaseSplit& phase) { return phase.told == Told::kAsPredicted; });
  return told ? document::Tone::kPlain : document::Tone::kDoubt;
}

document::Table control_table(const Explanation& explanation) {
  document::Table table{.title = "Controls",
                        .columns = {document::words("control"),
                                    {.head = "A"},
                                    {.head = "B"},
                                    {.head = "B / A"},
                                    {.head = "what it is", .left = true, .drop_at = 1}}};
  for (const ControlRatio& each : explanation.controls) {
    document::TableRow row{.cells = {each.name, document::duration(each.a_ns),
                                     document::duration(each.b_ns), ratio_cell(each.ratio)}};
    for (const compare::ControlKind& kind : compare::control_kinds()) {
      if (kind.name == each.name) row.cells.emplace_back(kind.doc);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> explain_notes(const Explanation& explanation) {
  std::vector<std::string> notes = explanation.doubts;
  for (const compare::EnvironmentDifference& each : explanation.differences) {
    notes.push_back("not the machine: " + each.field + " is " + each.base + " on A, " +
                    each.candidate + " on B: what that changes is in the rest");
  }
  const auto only = [&](const std::vector<std::string>& ids, const char* side) {
    if (ids.empty()) return;
    notes.push_back("only on " + std::string(side) + ": " +
                    text::counted(static_cast<std::int64_t>(ids.size()), "case"));
  };
  only(explanation.only_a, "A");
  only(explanation.only_b, "B");
  return notes;
}

}  // namespace

document::Document explain_document(const Explanation& explanation) {
  document::Document document;
  const bool several = explanation.cases.size() > 1;
  for (const CaseSplit& one : explanation.cases) {
    const std::string id = one.of->key.case_id.substr(0, 6);
    document::Chapter chapter{.id = "case-" + id, .title = "Case " + id, .blocks = {}};
    chapter.blocks.emplace_back(
        document::Paragraph{.text = (several ? "case " + id + ": " : "") + split_answer(one),
                            .tone = tone_of_case(one),
                            .below = below_case(one)});
    if (one.why_not.empty()) chapter.blocks.emplace_back(split_table(one));
    document.chapters.push_back(std::move(chapter));
  }
  document::Chapter controls{.id = "controls", .title = "Controls", .blocks = {}};
  controls.blocks.emplace_back(control_table(explanation));
  for (const std::string& note : explain_notes(explanation)) {
    controls.blocks.emplace_back(document::Paragraph{.text = note, .tone = document::Tone::kDoubt});
  }
  document.chapters.push_back(std::move(controls));
  return document;
}

std::string explain_json(const Explanation& explanation, int exit_code) {
  json::JsonText json;
  json.open_object()
      .text("schema", kExplainSchema)
      .text("schema_version", kExplainVersion)
      .integer("exit_code", exit_code);
  json.open_array("cases");
  for (const CaseSplit& one : explanation.cases) {
    json.open_object()
        .text("case_id", one.of->key.case_id)
        .integer("a_launches", static_cast<std::int64_t>(one.a_launches))
        .integer("b_launches", static_cast<std::int64_t>(one.b_launches));
    if (!one.why_not.empty()) json.text("why_not", one.why_not);
    json.number("a_ns", one.step.a_ns).number("b_ns", one.step.b_ns);
    write_ratio(json, "ratio", measured_ratio(one.step));
    json.number("predicted_ns", one.predicted_ns)
        .number("predicted_low_ns", one.predicted_interval_ns.low)
        .number("predicted_high_ns", one.predicted_interval_ns.high)
        .number("rest_ns", one.rest_ns)
        .number("unknown_ns", one.unknown_ns);
    json.open_array("phases");
    for (const PhaseSplit& split : one.phases) {
      json.open_object();
      for (const SplitColumn& column : split_columns()) column.write(split, json);
      json.close_object();
    }
    json.close_array().close_object();
  }
  json.close_array();
  json.open_array("controls");
  for (const ControlRatio& each : explanation.controls) {
    json.open_object().text("name", each.name).number("a_ns", each.a_ns).number("b_ns", each.b_ns);
    write_ratio(json, "ratio", each.ratio);
    json.close_object();
  }
  json.close_array();
  json.open_array("differences");
  for (const compare::EnvironmentDifference& each : explanation.differences) {
    json.open_object()
        .text("field", each.field)
        .text("a", each.base)
        .text("b", each.candidate)
        .close_object();
  }
  json.close_array();
  json.texts("doubts", explanation.doubts)
      .texts("only_a", explanation.only_a)
      .texts("only_b", explanation.only_b)
      .close_object();
  return json.take() + "\n";
}

}  // namespace stepbench::report
