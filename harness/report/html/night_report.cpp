// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/json/line_object.h"
#include "harness/report/html/night_charts.h"
#include "harness/report/html/report.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "harness/track/night.h"

namespace stepbench::report {
namespace {

document::Tone tone_of_state(std::string_view state, bool worse) {
  const auto is = [&](track::NightState other) { return state == track::name_of(other); };
  if (is(track::NightState::kRegression) || is(track::NightState::kInvalid) ||
      is(track::NightState::kNoData)) {
    return document::Tone::kBad;
  }
  if (is(track::NightState::kSuspect) || is(track::NightState::kReproduced)) {
    return worse ? document::Tone::kDoubt : document::Tone::kGood;
  }
  return is(track::NightState::kImprovement) || is(track::NightState::kFixed)
             ? document::Tone::kGood
             : document::Tone::kPlain;
}

document::Cell amount_cell(const std::optional<double>& value, const std::string& unit) {
  if (!value) return "-";
  return {amount_text(*value, unit), value};
}

document::Table series_table(const std::vector<json::JsonView>& series) {
  document::Table table{.title = "Series of the night",
                        .columns = {document::words("series"),
                                    document::words("state"),
                                    {.head = "usual"},
                                    {.head = "tonight"},
                                    {.head = "change [%]"},
                                    document::words("alert"),
                                    document::words("why")},
                        .rows = {}};
  for (const json::JsonView& each : series) {
    const auto one = each.object();
    if (!one) continue;
    const std::string unit = one->text("unit");
    const auto change = one->number("change");
    table.rows.push_back({.cells = {one->text("name"),
                                    one->text("state"),
                                    amount_cell(one->number("usual"), unit),
                                    amount_cell(one->number("value"), unit),
                                    {change ? text::signed_percent(*change) : "-", change},
                                    one->text("alert"),
                                    one->text("why")}});
    table.rows.back().tone = (tone_of_state(one->text("state"), one->flag("worse")));
  }
  return table;
}

std::string where_and_when(const json::LineObject& night) {
  std::string text = "night on " + night.text("host");
  std::vector<std::string> runs;
  for (const json::JsonView& each : night.array("runs").value_or(std::vector<json::JsonView>{})) {
    if (const auto run = each.object()) {
      runs.push_back(run->text("experiment") + ", " + text::minute_text(run->text("started_utc")));
    }
  }
  return runs.empty() ? text : text + ": " + text::join(runs, "; ");
}

}  // namespace

ReportContent night_content(const std::string& night_json, const DrawOptions& /*draw*/) {
  json::LineParser parser;
  const json::LineObject night = parser.parse(night_json, json::LineParser::Padding::kNone).object;
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  section.blocks.push_back(document::Paragraph{.text = where_and_when(night)});
  const std::vector<std::string> notes = night.texts("notes");
  for (const std::string& note : notes) {
    section.blocks.push_back(document::Paragraph{.text = note, .tone = document::Tone::kDoubt});
  }
  const std::string verdict = night.text("verdict");
  const std::string error = night.text("error");
  section.blocks.push_back(document::Paragraph{
      .text = "verdict: " + verdict + " (exit code " + std::to_string(night.integer("exit_code")) +
              ')' + (error.empty() ? "" : ": " + error),
      .tone = error.empty() ? tone_of_state(verdict, true) : document::Tone::kBad});
  const std::vector<json::JsonView> series =
      night.array("series").value_or(std::vector<json::JsonView>{});
  if (!series.empty()) section.blocks.push_back(series_table(series));
  ReportContent content{.kind = "night",
                        .title = "Night on " + night.text("host"),
                        .sections = {std::move(section)},
                        .data = night_json,
                        .summary = text::counted(std::ssize(series), "series"),
                        .measured = !series.empty()};
  if (!error.empty()) return content;
  if (auto charts = night_section(night_json)) content.sections.push_back(std::move(*charts));
  return content;
}

}  // namespace stepbench::report
