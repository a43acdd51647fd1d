// SPDX-License-Identifier: Apache-2.0
#include "harness/report/screened_series.h"

#include <algorithm>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/report/history_chart.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kDateDigits = 10;
constexpr std::size_t kShownFired = 12;
constexpr std::size_t kShownCommit = 8;

std::string date_of_point(const track::TrackedPoint& point, const track::History& history) {
  return history.runs[point.run].started_utc.substr(0, kDateDigits);
}

std::string chart_of(const track::ScreenedSeries& screened, const track::History& history) {
  std::vector<ChartNight> nights;
  for (const track::TrackedPoint& point : screened.series->points) {
    nights.push_back({.date = date_of_point(point, history), .value = point.value});
  }
  ChartMarks changes{.head = "level changed"};
  for (const track::ChangePoint& change : screened.changes) {
    changes.marks.emplace_back(change.index, "^");
  }
  ChartMarks fired{.head = "suspected"};
  for (const std::size_t index : screened.fired) fired.marks.emplace_back(index, "!");
  return draw_chart(nights, screened.series->series.unit, {changes, fired});
}

document::Table changes_grid(const track::ScreenedSeries& screened, const track::History& history) {
  document::Table grid;
  grid.columns = {{.head = "row"},    document::words("night"), document::words("commit"),
                  {.head = "before"}, {.head = "after"},        {.head = "change"},
                  {.head = "p"}};
  const std::string& unit = screened.series->series.unit;
  for (const track::ChangePoint& change : screened.changes) {
    const track::TrackedPoint& point = screened.series->points[change.index];
    const std::string& commit = history.runs[point.run].git_sha;
    grid.rows.push_back(
        {{std::to_string(change.index + 1), date_of_point(point, history),
          commit.empty() ? "-" : commit.substr(0, kShownCommit), amount_text(change.before, unit),
          amount_text(change.after, unit), text::signed_percent(change.change()) + " %",
          text::chance_text(change.p)}});
  }
  return grid;
}

// "robust_z would have measured 3 of 365 nights again: 2026-01-07, ..."
std::string fired_words(const track::ScreenedSeries& screened, const track::History& history,
                        track::ScreenKind kind) {
  const std::size_t nights = screened.series->points.size();
  const std::string name(track::name_of(kind));
  if (nights <= track::kMinForScreen) {
    return name + " needs " + std::to_string(track::kMinForScreen) +
           " nights before it says anything";
  }
  std::string words = name + ", which sees only the nights before, would have measured " +
                      std::to_string(screened.fired.size()) + " of " + std::to_string(nights) +
                      " nights again";
  std::vector<std::string> dates;
  for (std::size_t i = 0; i < std::min(kShownFired, screened.fired.size()); ++i) {
    dates.push_back(date_of_point(screened.series->points[screened.fired[i]], history));
  }
  if (screened.fired.size() > kShownFired) dates.emplace_back("...");
  return dates.empty() ? words : words + ": " + text::join(dates);
}

}  // namespace

document::Document screened_document(const track::ScreenedSeries& screened,
                                     const track::History& history, const SeriesNames& names,
                                     const track::ScreenChoice& choice) {
  const track::SeriesHistory& series = *screened.series;
  const std::string name = names.name(series.series);
  document::Chapter chapter{.id = "screened", .title = "Screened", .blocks = {}};
  chapter.blocks.emplace_back(document::Figure{
      .title = name, .alt = name, .in_text = chart_of(screened, history), .json = {}});
  if (screened.changes.empty()) {
    chapter.blocks.emplace_back(document::Heading{});
    chapter.blocks.emplace_back(document::Paragraph{choice.method + ": its level did not change"});
  } else {
    chapter.blocks.emplace_back(changes_grid(screened, history));
  }
  chapter.blocks.emplace_back(document::Heading{});
  chapter.blocks.emplace_back(document::Paragraph{fired_words(screened, history, choice.screen)});
  return {.headline = name + "  (" + text::counted(std::ssize(series.points), "night") + ", " +
                      date_of_point(series.points.front(), history) + " to " +
                      date_of_point(series.points.back(), history) + ')',
          .chapters = {std::move(chapter)}};
}

std::string screened_json(const std::vector<track::ScreenedSeries>& all,
                          const track::History& history, const SeriesNames& names,
                          const track::ScreenChoice& choice) {
  json::JsonText json;
  json.open_object().text("schema", "stepbench.screen").text("version", "1.0.0");
  json.text("method", choice.method).text("screen", track::name_of(choice.screen));
  json.open_array("series");
  for (const track::ScreenedSeries& one : all) {
    const track::TrackedSeries& series = one.series->series;
    json.open_object().text("name", names.name(series)).text("metric", series.metric);
    json.text("unit", series.unit).values("options", series.options);
    json.integer("nights", std::ssize(one.series->points)).open_array("changes");
    for (const track::ChangePoint& change : one.changes) {
      const track::TrackedRun& run = history.runs[one.series->points[change.index].run];
      json.open_object().integer("index", static_cast<std::int64_t>(change.index));
      json.text("started_utc", run.started_utc).text("git_sha", run.git_sha);
      json.number("before", change.before).number("after", change.after);
      json.number("change", change.change()).number("p", change.p).close_object();
    }
    const std::vector<std::int64_t> fired(one.fired.begin(), one.fired.end());
    json.close_array().integers("fired", fired).close_object();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
