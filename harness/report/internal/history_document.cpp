// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/report/night.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using document::Paragraph;
using document::Tone;

std::string machine_words(const nights::TrackedSeries& series) {
  return text::join(series.machine, ", ",
                    [](const auto& field) { return field.first + ' ' + to_text(field.second); });
}

std::string comma(const std::string& words) { return words.empty() ? words : ", " + words; }

Tone tone_of_alert(const nights::Alert* alert) {
  if (alert == nullptr) return Tone::kDoubt;
  return alert->state == nights::AlertState::kOpen ? Tone::kBad : Tone::kPlain;
}

// An alert from the perspective of one of its series.
Paragraph alert_of_series(const nights::Alert& alert, const nights::TrackedSeries& series,
                          const nights::History& history, Links links) {
  const nights::AlertSeries& reported = *alert.find(series.id);
  Paragraph paragraph{
      .text =
          formatted("{}, opened {}: {}{}, {}{}", alert.id, alert.opened_utc.substr(0, 10),
                    name_of(alert.state), comma(acceptance_words(alert)),
                    reported_text(reported, &series), alert.note.empty() ? "" : "; " + alert.note),
      .tone = tone_of_alert(&alert),
      .below = range_lines(alert, history)};
  if (links == Links::kPages) {
    paragraph.below.emplace_back("what happened to " + alert.id);
    paragraph.below.back().link = alert_file(alert.id);
  }
  return paragraph;
}

document::Table moved_series_table(const nights::Alert& alert, const SeriesNames& names,
                                   Links links) {
  document::Table table{
      .columns = {document::words("series"),
                  {.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
                  document::words("metric"),
                  {.head = "usual"},
                  {.head = "that night"},
                  {.head = "told", .left = true},
                  {.head = "now", .left = true, .drop_at = 30}}};
  for (const nights::AlertSeries& each : alert.series) {
    const nights::TrackedSeries* series = names.find(each.id);
    const std::string unit = series == nullptr ? std::string() : series->unit;
    const bool to_page = links == Links::kPages && series != nullptr;
    table.rows.push_back(
        {{names.short_id(each.id),
          document::linked(series == nullptr ? each.experiment : names.case_name(*series),
                           to_page ? series_file(each.id) : ""),
          series == nullptr ? std::string("-") : metric_label(series->metric),
          {amount_text(each.usual, unit), each.usual},
          {amount_text(each.value, unit), each.value},
          reported_text(each, series),
          each.back              ? "back"
          : each.can_be_measured ? ""
                                 : "the previous level can no longer be measured"}});
  }
  document::drop_if_empty(table, 6);
  return table;
}

std::string event_words(const nights::TrackEvent& event, const SeriesNames& names) {
  std::string text = event.what;
  if (event.what == name_of(nights::AlertEvent::kAssigned)) {
    const std::string to = text_of(event.details, "to");
    text += to.empty() ? ": nobody" : ": " + to;
  }
  const std::string id = text_of(event.details, "series");
  if (const nights::TrackedSeries* series = names.find(id)) text += ": " + names.name(*series);
  return text + (event.reason.empty() ? "" : ": " + event.reason);
}

document::Table events_table(const nights::Alert& alert, const SeriesNames& names) {
  document::Table table{
      .columns = {document::words("night"),
                  {.head = "by", .left = true, .drop_at = 20},
                  document::words("state"),
                  {.head = "what happened", .left = true, .shrink_at = 10, .shrink_to = 30}}};
  for (const nights::TrackEvent& event : alert.events) {
    const bool stays = event.from_state == event.to_state || event.to_state.empty();
    table.rows.push_back(
        {{text_of(event.details, "night_utc", event.at_utc).substr(0, 10), event.who,
          stays                      ? std::string()
          : event.from_state.empty() ? event.to_state
                                     : event.from_state + " -> " + event.to_state,
          event_words(event, names)}});
  }
  return table;
}

// The newest value, the usual level, and the open or accepted alert. Empty without nights.
document::Answer series_answer(const HistoryView& view) {
  const HistoryNight* last = nullptr;
  for (const HistoryNight& night : view.nights) {
    if (night.point != nullptr && std::isfinite(night.point->value)) last = &night;
  }
  if (last == nullptr) return {};
  const std::string& unit = view.series->series.unit;
  document::Answer answer{.text = amount_text(last->point->value, unit) + " on " +
                                  last->run->started_utc.substr(0, 10)};
  if (last->usual() && last->change()) {
    answer.text += formatted(", usual {} ({} %)", amount_text(*last->usual(), unit),
                             text::signed_percent(*last->change()));
  }
  const auto is_reported = [](const nights::Alert* alert) {
    return alert->state == nights::AlertState::kOpen ||
           alert->state == nights::AlertState::kAccepted;
  };
  const auto open = std::ranges::find_if(view.alerts, is_reported);
  if (open == view.alerts.end()) {
    answer.text += "; no alert is open";
    return answer;
  }
  const nights::Alert& alert = **open;
  answer.text +=
      formatted("; {} {} since {}", alert.id, name_of(alert.state), alert.opened_utc.substr(0, 10));
  answer.tone =
      alert.state == nights::AlertState::kOpen ? document::Tone::kBad : document::Tone::kDoubt;
  return answer;
}

}  // namespace

document::Document series_document(const HistoryView& view, const nights::History& history,
                                   const SeriesNames& names, std::size_t nights, Links links) {
  const nights::TrackedSeries& series = view.series->series;
  document::Document document{
      .headline = formatted("{}  ({})", names.name(series), names.short_id(series.id)),
      .answer = series_answer(view)};
  document::Chapter over{.id = "nights", .title = "Over its nights", .blocks = {}};
  if (std::string machine = machine_words(series); !machine.empty()) {
    over.blocks.emplace_back(Paragraph{std::move(machine)});
  }
  if (auto figure = series_figure(view, names)) {
    over.blocks.emplace_back(std::move(*figure));
  } else {
    over.blocks.emplace_back(Paragraph{"no night has a value"});
  }
  over.blocks.emplace_back(nights_table({&view, 1}, names, nights));
  document::Chapter alerts{.id = "alerts", .title = "Alerts", .blocks = {}};
  for (const nights::Alert* alert : view.alerts) {
    alerts.blocks.emplace_back(alert_of_series(*alert, series, history, links));
  }
  document.chapters = {std::move(over)};
  if (!alerts.blocks.empty()) document.chapters.push_back(std::move(alerts));
  return document;
}

document::Document alert_document(const nights::Alert& alert, const nights::History& history,
                                  const SeriesNames& names,
                                  std::span<const document::Figure> charts,
                                  const std::string& history_words, Links links) {
  document::Document document{
      .headline = formatted("{} on {}: {}{}, {} worse, opened {}{}", alert.id, alert.host,
                            name_of(alert.state), comma(acceptance_words(alert)),
                            text::counted(std::ssize(alert.series), "series"),
                            alert.opened_utc.substr(0, 10),
                            alert.assignee.empty() ? "" : ", assigned to " + alert.assignee)};
  document::Chapter moved{.id = "moved", .title = "What moved", .blocks = {}};
  if (std::vector<document::Line> lines = range_lines(alert, history); !lines.empty()) {
    Paragraph range{.text = std::move(lines.front().text)};
    range.below.assign(std::next(lines.begin()), lines.end());
    moved.blocks.emplace_back(std::move(range));
  }
  moved.blocks.emplace_back(moved_series_table(alert, names, links));
  std::vector<std::string> causes;
  for (const nights::AlertSeries& each : alert.series) {
    if (each.cause.empty()) continue;
    const std::string cause = "cause: " + each.cause;
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  }
  for (std::string& cause : causes) moved.blocks.emplace_back(Paragraph{std::move(cause)});
  for (const document::Figure& chart : charts) moved.blocks.emplace_back(chart);
  document::Chapter events{
      .id = "events", .title = "What happened", .blocks = {events_table(alert, names)}};
  document.chapters = {std::move(moved), std::move(events)};
  if (alert.state != nights::AlertState::kOpen || alert.series.empty()) return document;
  const auto command = [&](const std::string& words) {
    return document::Line(formatted("stepbench track {}{}", words, history_words), true);
  };
  document.chapters.push_back(
      {.id = "next",
       .title = "Next",
       .blocks = {
           document::Heading{.title = "next"},
           Paragraph{.text = "one of its series:",
                     .below = {command("show " + names.short_id(alert.series.front().id))}},
           Paragraph{.text = "accept it:",
                     .below = {command(formatted("note {} --as accepted \"...\"", alert.id))}}}});
  return document;
}

document::Document open_alerts_document(const nights::AlertLog& log, const SeriesNames& names,
                                        const std::string& today) {
  std::vector<const nights::Alert*> alerts;
  std::size_t accepted = 0;
  for (const nights::Alert& alert : log.alerts) {
    const bool is_accepted = alert.state == nights::AlertState::kAccepted;
    if (alert.state != nights::AlertState::kOpen && !is_accepted) continue;
    alerts.push_back(&alert);
    accepted += is_accepted ? 1 : 0;
  }
  if (alerts.empty()) return {.headline = "no alert is open"};
  const auto open = static_cast<std::int64_t>(alerts.size() - accepted);
  return {
      .headline = formatted("{}{} open{}", text::counted(open, "alert"), open == 1 ? " is" : " are",
                            accepted == 0 ? "" : formatted(", {} accepted", accepted)),
      .chapters = {
          {.id = "alerts", .title = "Alerts", .blocks = {alerts_table(alerts, names, today)}}}};
}

document::Answer open_alerts_answer(const nights::AlertLog& log, const SeriesNames& names,
                                    std::span<const SeriesRow> rows) {
  std::vector<const nights::Alert*> open;
  for (const nights::Alert& alert : log.alerts) {
    if (alert.state == nights::AlertState::kOpen) open.push_back(&alert);
  }
  if (open.empty()) {
    std::int64_t moved = 0;
    const SeriesRow* most = nullptr;
    const auto size = [](const SeriesRow* row) { return std::abs(row->change.value_or(0)); };
    for (const SeriesRow& row : rows) {
      if (row.tone != Tone::kDoubt) continue;
      ++moved;
      if (row.change && (most == nullptr || size(&row) > size(most))) most = &row;
    }
    if (moved == 0) return {.text = "no alert is open", .tone = Tone::kGood};
    std::string text =
        formatted("no alert is open; {} suspect or without a value in the last night",
                  text::counted(moved, "series"));
    if (most != nullptr) {
      text += formatted(", most of all {} {} %", names.name(*most->series),
                        text::signed_percent(*most->change));
    }
    return {.text = std::move(text)};
  }
  const auto weight = [](const nights::Alert* alert) {
    const nights::AlertSeries* largest = largest_of(*alert);
    return largest == nullptr ? 0 : largest->change.size;
  };
  const nights::Alert& worst = **std::ranges::max_element(open, {}, weight);
  std::string text = text::counted(std::ssize(open), "alert") +
                     (open.size() == 1 ? " is open: " : " are open: ") + worst.id;
  if (const nights::AlertSeries* largest = largest_of(worst)) {
    const nights::TrackedSeries* series = names.find(largest->id);
    text +=
        formatted(", {} % in {}", text::signed_percent(reported_change(*largest, series).change),
                  series == nullptr ? largest->experiment : names.name(*series));
  }
  return {.text = std::move(text), .tone = Tone::kBad};
}

document::Document series_list_document(const nights::History& newest,
                                        const std::map<std::string, nights::SeriesExtent>& extents,
                                        bool whole) {
  std::map<std::string_view, std::string> dates;  // by run id
  for (const nights::TrackedRun& run : newest.runs) dates.emplace(run.run_id, night_date(run));
  std::vector<SeriesRow> rows;
  std::size_t hidden = 0;
  for (const nights::SeriesHistory& one : newest.series) {
    const auto extent = extents.find(one.series.id);
    if (!whole && !one.series.monitored) {
      ++hidden;
    } else if (extent != extents.end()) {
      const nights::TrackedPoint& last = one.points.back();
      rows.push_back({.series = &one.series,
                      .newest = last,
                      .nights = extent->second.points,
                      .first_date = dates[extent->second.first_run],
                      .last_date = dates[newest.runs[last.run].run_id]});
    }
  }
  if (rows.empty()) return {};
  document::Chapter chapter{
      .id = "series", .title = "Series", .blocks = {series_table(rows, SeriesNames(newest))}};
  if (hidden > 0) {
    chapter.blocks.emplace_back(document::Heading{});
    chapter.blocks.emplace_back(Paragraph{formatted(
        "{} series of phases explain these and are not judged; --all lists them.", hidden)});
  }
  return {.chapters = {std::move(chapter)}};
}

namespace {

// Ids are digests and numbers; removes characters that could lead out of the folder.
std::string page_file(std::string_view kind, std::string_view id) {
  std::string name(kind);
  for (const char c : id) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name + ".html";
}

document::Cell series_amount(const std::optional<double>& value, std::string_view unit) {
  if (!value || !std::isfinite(*value)) return "-";
  return {amount_text(*value, unit), value};
}

std::string age_text(const std::string& from, const std::string& to) {
  const auto begin = text::parse_utc(from);
  const auto end = text::parse_utc(to);
  if (!begin || !end) return "-";
  return text::counted(std::chrono::floor<std::chrono::days>(*end - *begin).count(), "day");
}

document::TableRow night_row(const HistoryNight& night, const HistoryView& view) {
  const std::string& unit = view.series->series.unit;
  document::TableRow row{{night_date(*night.run),
                          document::linked(program_id(*night.run),
                                           nights::commit_url(*night.run, night.run->git_sha))}};
  if (!has_value(night)) {
    row.cells.insert(row.cells.end(), {"-", "", "", "", "", "", "no value"});
    row.tone = Tone::kDim;
    return row;
  }
  const nights::TrackedPoint& point = *night.point;
  row.cells.insert(
      row.cells.end(),
      {series_amount(point.value, unit),
       point.low < point.high
           ? amount_text(point.low, unit) + " to " + amount_text(point.high, unit)
           : "-",
       document::count(point.launches), series_amount(night.usual(), unit),
       document::change(night.change()),
       night.judged ? document::Cell(state_words(night.judged->state)) : document::Cell(""),
       text::join(marks_of(night), "; ")});
  if (!night.alert.empty()) {
    row.tone = tone_of_alert(alert_named(view, night.alert));
  } else if (night.is_suspect()) {
    row.tone = Tone::kDoubt;
  }
  return row;
}

}  // namespace

std::string series_file(std::string_view series_id) { return page_file("series-", series_id); }
std::string alert_file(std::string_view alert_id) { return page_file("alert-", alert_id); }

SeriesRow row_of(const HistoryView& view) {
  SeriesRow row{.series = &view.series->series, .nights = view.series->points.size()};
  row.had_alerts = !view.alerts.empty();
  if (view.nights.empty() || view.series->points.empty()) return row;
  row.newest = view.series->points.back();
  const HistoryNight& last = view.nights.back();
  row.last_date = night_date(*last.run);
  row.usual = last.usual();
  row.change = last.change();
  for (const nights::Alert* alert : view.alerts) {
    const bool accepted = alert->state == nights::AlertState::kAccepted;
    if (alert->state != nights::AlertState::kOpen && !accepted) continue;
    row.state = accepted ? "accepted" : "regression";
    row.alert = alert->id;
    row.tone = accepted ? Tone::kDim : tone_of_alert(alert);
    if (!accepted) return row;
  }
  if (!row.state.empty()) return row;
  if (!has_value(last)) {
    row.state = "no value";
    row.tone = Tone::kDoubt;
  } else if (!row.series->monitored || !last.judged) {
    row.state = "not judged";
  } else {
    row.state = state_words(last.judged->state);
    row.tone = last.is_suspect() ? Tone::kDoubt : Tone::kPlain;
  }
  return row;
}

document::Table series_table(std::span<const SeriesRow> rows, const SeriesNames& names,
                             Links links) {
  document::Table table{.columns = {document::words("series"),
                                    {.head = "experiment", .left = true, .shrink_at = 2},
                                    {.head = "case", .left = true, .shrink_at = 1, .shrink_to = 16},
                                    document::words("metric"),
                                    document::words("state"),
                                    document::words("alert"),
                                    {.head = "nights"},
                                    {.head = "first", .left = true, .drop_at = 1},
                                    document::words("last"),
                                    {.head = "last value"},
                                    {.head = "usual"},
                                    {.head = "change"}}};
  const bool looked_at =
      std::ranges::any_of(rows, [](const auto& row) { return row.usual.has_value(); });
  for (const SeriesRow& row : rows) {
    const nights::TrackedSeries& series = *row.series;
    std::string name = names.case_words(series);
    if (series.control) name += " (control)";
    const bool to_page = links == Links::kPages;
    table.rows.push_back(
        {.cells = {names.short_id(series.id), series.experiment,
                   document::linked(std::move(name), to_page ? series_file(series.id) : ""),
                   metric_label(series.metric), row.state,
                   document::linked(row.alert,
                                    to_page && !row.alert.empty() ? alert_file(row.alert) : ""),
                   document::count(row.nights), row.first_date, row.last_date,
                   series_amount(row.newest.value, series.unit),
                   looked_at ? series_amount(row.usual, series.unit) : document::Cell(""),
                   looked_at ? document::change(row.change) : document::Cell("")},
         .tone = row.tone});
  }
  for (const std::size_t column : {11U, 10U, 7U, 5U, 4U}) document::drop_if_empty(table, column);
  return table;
}

document::Table nights_table(std::span<const HistoryView> views, const SeriesNames& names,
                             std::size_t most) {
  const bool one = views.size() == 1;
  document::Table table{
      .columns = {document::words("series"),
                  document::words("night"),
                  {.head = "commit", .left = true, .drop_at = 20},
                  {.head = one ? metric_label(views.front().series->series.metric) : "value"},
                  {.head = "95 % interval", .drop_at = 30},
                  {.head = "launches", .drop_at = 10},
                  {.head = "usual then"},
                  {.head = "change"},
                  document::words("state"),
                  document::words("")}};
  for (const HistoryView& view : views) {
    for (std::size_t i = view.nights.size() - std::min(view.nights.size(), most);
         i < view.nights.size(); ++i) {
      document::TableRow row = night_row(view.nights[i], view);
      row.cells.insert(row.cells.begin(), one ? "" : names.name(view.series->series));
      table.rows.push_back(std::move(row));
    }
  }
  document::drop_if_empty(table, 0);
  return table;
}

document::Table alerts_table(std::span<const nights::Alert* const> alerts, const SeriesNames& names,
                             const std::string& today, Links links) {
  document::Table table{.columns = {document::words("alert"),
                                    document::words("state"),
                                    document::words("opened"),
                                    {.head = "age"},
                                    {.head = "host", .left = true, .drop_at = 20},
                                    {.head = "series"},
                                    {.head = "largest change"},
                                    {.head = "in", .left = true, .shrink_at = 50, .shrink_to = 16},
                                    {.head = "accepted", .left = true, .drop_at = 10}}};
  for (const nights::Alert* alert : alerts) {
    const bool accepted = alert->state == nights::AlertState::kAccepted;
    const nights::AlertSeries* largest = largest_of(*alert);
    const nights::TrackedSeries* series = largest == nullptr ? nullptr : names.find(largest->id);
    const std::string words = acceptance_words(*alert);
    table.rows.push_back(
        {.cells = {document::linked(alert->id, links == Links::kPages ? alert_file(alert->id) : ""),
                   name_of(alert->state), alert->opened_utc.substr(0, 10),
                   today.empty() ? "" : age_text(alert->opened_utc.substr(0, 10), today),
                   alert->host, document::count(std::ssize(alert->series)),
                   document::change(largest == nullptr
                                        ? std::nullopt
                                        : std::optional(reported_change(*largest, series).change)),
                   series == nullptr ? alert->experiment : names.name(*series),
                   !accepted       ? std::string()
                   : words.empty() ? "for good"
                                   : words},
         .tone = accepted ? Tone::kDim : tone_of_alert(alert)});
  }
  document::drop_if_empty(table, 8);
  document::drop_if_empty(table, 3);
  return table;
}

std::vector<const nights::Alert*> newest_first(const nights::AlertLog& log) {
  std::vector<const nights::Alert*> alerts;
  for (const nights::Alert& alert : log.alerts) alerts.push_back(&alert);
  std::ranges::reverse(alerts);
  return alerts;
}

}  // namespace stepbench::report
