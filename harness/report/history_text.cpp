// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_text.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/report/history_chart.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kCommitDigits = 8;

std::string date_of_run(const track::TrackedRun& run) { return run.started_utc.substr(0, 10); }

std::string commit_of_night(const track::TrackedRun& run) {
  const std::string& id = run.git_sha.empty() ? run.build_id : run.git_sha;
  if (id.empty()) return "-";
  return id.substr(0, kCommitDigits) + (run.git_dirty ? "+" : "");
}

// How many days lie between; nothing where one is no date.
std::optional<std::int64_t> days_between(const std::string& from, const std::string& to) {
  const auto begin = text::parse_utc(from);
  const auto end = text::parse_utc(to);
  if (!begin || !end) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*end - *begin).count();
}

std::vector<ChartNight> chart_nights(const HistoryView& view, bool normalised) {
  std::vector<ChartNight> nights;
  for (const HistoryNight& night : view.nights) {
    ChartNight each{.date = date_of_run(*night.run)};
    if (normalised) {
      each.value = night.normalised;
    } else if (night.point != nullptr) {
      each.value = night.point->value;
    }
    nights.push_back(std::move(each));
  }
  return nights;
}

std::vector<ChartMarks> chart_marks(const HistoryView& view) {
  ChartMarks segments{.head = "new segment"};
  ChartMarks changes{.head = "level changed"};
  ChartMarks alerts{.head = "alert"};
  for (std::size_t i = 0; i < view.nights.size(); ++i) {
    const HistoryNight& night = view.nights[i];
    if (night.begins_segment) segments.marks.emplace_back(i, "|");
    if (night.changed != nullptr) changes.marks.emplace_back(i, "^");
    if (!night.alert.empty()) alerts.marks.emplace_back(i, night.alert);
  }
  return {segments, changes, alerts};
}

document::Table nights_grid(const HistoryView& view) {
  const std::string& unit = view.series->series.unit;
  document::Table grid;
  grid.columns = {document::words("night"),
                  {.head = "commit", .left = true, .drop_at = 20},
                  {.head = metric_label(view.series->series.metric)},
                  {.head = "95 % interval", .drop_at = 30},
                  {.head = "launches", .drop_at = 10},
                  {.head = "per control", .drop_at = 40},
                  {.head = "usual then"},
                  {.head = "change"},
                  document::words("")};
  const std::size_t first = view.nights.size() - std::min(view.nights.size(), kShownNights);
  for (std::size_t i = first; i < view.nights.size(); ++i) {
    const HistoryNight& night = view.nights[i];
    document::TableRow row{{date_of_run(*night.run), commit_of_night(*night.run)}};
    if (night.point == nullptr || !std::isfinite(night.point->value)) {
      row.cells.insert(row.cells.end(), {"-", "", "", "", "", "", "no value"});
      row.tone = document::Tone::kDim;
      grid.rows.push_back(std::move(row));
      continue;
    }
    const track::TrackedPoint& point = *night.point;
    const bool interval = point.low < point.high;
    std::vector<std::string> marks;
    if (!night.alert.empty()) marks.push_back(night.alert + " began");
    if (night.begins_segment) marks.emplace_back("new segment");
    if (night.changed != nullptr) {
      marks.push_back("level changed " + text::signed_percent(night.changed->change()) + " %");
    }
    if (night.fired && night.alert.empty()) marks.emplace_back("moved");
    if (!night.note.empty()) marks.push_back(night.note);
    row.cells.insert(
        row.cells.end(),
        {amount_text(point.value, unit),
         interval ? amount_text(point.low, unit) + " to " + amount_text(point.high, unit) : "-",
         std::to_string(point.launches),
         night.normalised ? amount_text(*night.normalised, unit) : "-",
         night.usual ? amount_text(*night.usual, unit) : "-",
         night.change ? text::signed_percent(*night.change) + " %" : "-", text::join(marks)});
    if (night.fired) row.tone = document::Tone::kBad;
    grid.rows.push_back(std::move(row));
  }
  const bool with_control =
      std::any_of(view.nights.begin(), view.nights.end(),
                  [](const HistoryNight& night) { return night.normalised.has_value(); });
  if (!with_control) {
    constexpr std::ptrdiff_t kControl = 5;
    grid.columns.erase(grid.columns.begin() + kControl);
    for (document::TableRow& row : grid.rows) row.cells.erase(row.cells.begin() + kControl);
  }
  return grid;
}

std::string machine_text(const track::TrackedSeries& series) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : series.machine) parts.push_back(name + ' ' + to_text(value));
  return text::join(parts);
}

std::string acceptance_text(const track::Alert& alert) {
  std::string text;
  if (alert.expect) text += ", as far as " + text::signed_percent(*alert.expect) + " %";
  if (!alert.until.empty()) text += ", until " + alert.until;
  return text;
}

// "suspect -> regression"
std::string transition_text(const track::TrackEvent& event) {
  if (event.from_state == event.to_state || event.to_state.empty()) return "";
  return event.from_state.empty() ? event.to_state : event.from_state + " -> " + event.to_state;
}

std::string event_words(const track::TrackEvent& event, const SeriesNames& names) {
  std::string text = event.what;
  if (const std::string to = text_of(event.details, "to"); event.what == track::kAssignedEvent) {
    text += to.empty() ? ": nobody" : ": " + to;
  }
  const std::string id = text_of(event.details, "series");
  if (const track::TrackedSeries* series = names.find(id)) text += ": " + names.name(*series);
  if (event.what == track::kMeasuredEvent) {
    text += ' ' + text::signed_percent(number_of(event.details, "change").value_or(0)) + " % [" +
            text::signed_percent(number_of(event.details, "low").value_or(0)) + ", " +
            text::signed_percent(number_of(event.details, "high").value_or(0)) + ']';
  }
  if (!event.reason.empty()) text += ": " + event.reason;
  return text;
}

void add_history_number(json::JsonText& json, std::string_view key,
                        const std::optional<double>& value) {
  if (value) {
    json.number(key, *value);
  } else {
    json.null(key);
  }
}

}  // namespace

std::string series_page(const HistoryView& view, const SeriesNames& names,
                        const TableStyle& style) {
  const track::TrackedSeries& series = view.series->series;
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 40));
  std::string out = text::printable(names.name(series)) + "  (" + names.short_id(series.id) + ")\n";
  const std::string machine = machine_text(series);
  if (!machine.empty()) out += text::wrap_hanging(text::printable(machine), columns) + '\n';
  if (view.nights.empty()) return out + "no night has a value of it\n";
  const std::string chart = draw_chart(chart_nights(view, false), series.unit, chart_marks(view));
  out += chart.empty() ? "\nno night has a value of it\n" : '\n' + chart;
  const std::string normalised = draw_chart(chart_nights(view, true), series.unit, {});
  if (!normalised.empty()) {
    out += "\nper control case: what the machine did to it is taken out\n\n" + normalised;
  }
  out += '\n' + document::draw(nights_grid(view), columns, style.colour).text;
  for (const track::Alert* alert : view.alerts) {
    const track::AlertSeries& known = *alert->find(series.id);
    out += text::wrap_hanging(
               text::printable(alert->id + ", opened " + alert->opened_utc.substr(0, 10) + ": " +
                               std::string(track::name_of(alert->state)) + acceptance_text(*alert) +
                               ", " + text::signed_percent(known.change) + " %" +
                               (alert->note.empty() ? "" : "; " + alert->note)),
               columns) +
           '\n';
  }
  return out;
}

std::string alert_page(const track::Alert& alert, const track::History& history,
                       const SeriesNames& names, const std::string& history_words,
                       const TableStyle& style) {
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 40));
  const auto run_words = [&](const std::string& id) {
    const auto run = std::find_if(history.runs.begin(), history.runs.end(),
                                  [&](const track::TrackedRun& each) { return each.run_id == id; });
    if (run == history.runs.end()) return id;
    return date_of_run(*run) + " (" + commit_of_night(*run) + ')';
  };
  std::string out =
      alert.id + " on " + text::printable(alert.host) + ": " +
      std::string(track::name_of(alert.state)) + acceptance_text(alert) + ", " +
      text::counted(std::ssize(alert.series), "series") + (alert.worse ? " worse" : " better") +
      ", opened " + alert.opened_utc.substr(0, 10) +
      (alert.assignee.empty() ? "" : ", " + text::printable(alert.assignee) + "'s") + '\n';
  if (!alert.first_bad.empty()) {
    out += alert.last_good.empty()
               ? "no good night before " + text::printable(run_words(alert.first_bad)) + '\n'
               : "between " + text::printable(run_words(alert.last_good)) + " and " +
                     text::printable(run_words(alert.first_bad)) + '\n';
  }
  for (const std::string& line : commit_lines(alert)) {
    out += text::wrap_hanging("  " + text::printable(line), columns) + '\n';
  }
  document::Table grid;
  grid.columns = {document::words("series"),
                  {.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
                  document::words("metric"),
                  {.head = "usual"},
                  {.head = "that night"},
                  {.head = "change"},
                  {.head = "measured again", .left = true, .drop_at = 30}};
  for (const track::AlertSeries& each : alert.series) {
    const track::TrackedSeries* series = names.find(each.id);
    std::string measured = "-";
    if (!each.measured.empty()) {
      const track::AlertMeasurement& last = each.measured.back();
      measured = text::signed_percent(last.change) + " % [" + text::signed_percent(last.low) +
                 ", " + text::signed_percent(last.high) + (last.reproduced ? "]" : "], not there");
    }
    const std::string unit = series == nullptr ? std::string() : series->unit;
    grid.rows.push_back(
        {{names.short_id(each.id), series == nullptr ? each.experiment : names.case_name(*series),
          series == nullptr ? std::string("-") : metric_label(series->metric),
          amount_text(each.usual, unit), amount_text(each.value, unit),
          text::signed_percent(each.change) + " %", measured}});
  }
  out += '\n' + document::draw(std::move(grid), columns, style.colour).text;
  std::vector<std::string> causes;
  for (const track::AlertSeries& each : alert.series) {
    if (each.measured.empty() || each.measured.back().cause.empty()) continue;
    const std::string cause = "cause: " + each.measured.back().cause;
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
  }
  for (const std::string& cause : causes)
    out += text::wrap_hanging(text::printable(cause), columns) + '\n';

  document::Table events;
  events.columns = {document::words("night"),
                    {.head = "by", .left = true, .drop_at = 20},
                    document::words("state"),
                    {.head = "what happened", .left = true, .shrink_at = 10, .shrink_to = 30}};
  for (const track::TrackEvent& event : alert.events) {
    const std::string night = text_of(event.details, "night_utc", event.at_utc);
    events.rows.push_back(
        {{night.substr(0, 10), event.who, transition_text(event), event_words(event, names)}});
  }
  out += '\n' + document::draw(std::move(events), columns, style.colour).text;
  if (track::is_open(alert.state) && !alert.series.empty()) {
    out += "\nnext:\n  " +
           text::printable("stepbench track show " + names.short_id(alert.series.front().id) +
                           history_words) +
           "\n  " +
           text::printable("stepbench track acknowledge " + alert.id + " --reason \"...\"" +
                           history_words) +
           '\n';
  }
  return out;
}

std::string open_alerts_page(const track::AlertLog& log, const SeriesNames& names,
                             const std::string& today, const TableStyle& style) {
  document::Table grid;
  grid.columns = {document::words("alert"),
                  document::words("state"),
                  document::words("opened"),
                  {.head = "age"},
                  {.head = "host", .left = true, .drop_at = 20},
                  {.head = "series"},
                  {.head = "largest change"},
                  {.head = "in", .left = true, .shrink_at = 50, .shrink_to = 16},
                  {.head = "accepted", .left = true, .drop_at = 10}};
  std::size_t accepted = 0;
  for (const track::Alert& alert : log.alerts) {
    const bool acknowledged = alert.state == track::AlertState::kAcknowledged;
    if (!track::is_open(alert.state) && !acknowledged) continue;
    accepted += acknowledged ? 1 : 0;
    const auto largest =
        std::max_element(alert.series.begin(), alert.series.end(),
                         [](const track::AlertSeries& a, const track::AlertSeries& b) {
                           return std::abs(a.change) < std::abs(b.change);
                         });
    const track::TrackedSeries* series =
        largest == alert.series.end() ? nullptr : names.find(largest->id);
    const auto days = days_between(alert.opened_utc.substr(0, 10), today);
    grid.rows.push_back(
        {{alert.id, std::string(track::name_of(alert.state)), alert.opened_utc.substr(0, 10),
          days ? text::counted(*days, "day") : "-", alert.host, std::to_string(alert.series.size()),
          largest == alert.series.end() ? "-" : text::signed_percent(largest->change) + " %",
          series == nullptr ? alert.experiment : names.name(*series),
          acknowledged
              ? (acceptance_text(alert).empty() ? "for good" : acceptance_text(alert).substr(2))
              : "-"},
         alert.worse && !acknowledged ? document::Tone::kBad : document::Tone::kDim});
  }
  if (grid.rows.empty()) return "no alert is open\n";
  const auto open = static_cast<std::int64_t>(grid.rows.size() - accepted);
  if (accepted == 0) {
    grid.columns.pop_back();
    for (document::TableRow& row : grid.rows) row.cells.pop_back();
  }
  const auto columns = static_cast<std::size_t>(std::max(style.columns, 40));
  std::string out = text::counted(open, "alert") + (open == 1 ? " is" : " are") + " open";
  if (accepted > 0) out += ", " + std::to_string(accepted) + " accepted";
  return out + "\n\n" + document::draw(std::move(grid), columns, style.colour).text;
}

void write_nights(json::JsonText& json, const HistoryView& view) {
  json.open_array("nights");
  for (const HistoryNight& night : view.nights) {
    json.open_object().text("run_id", night.run->run_id);
    json.text("started_utc", night.run->started_utc).text("git_sha", night.run->git_sha);
    json.text("build_id", night.run->build_id);
    if (night.point == nullptr) {
      json.null("value").close_object();
      continue;
    }
    json.number("value", night.point->value).number("low", night.point->low);
    json.number("high", night.point->high).integer("launches", night.point->launches);
    add_history_number(json, "control", night.point->control);
    add_history_number(json, "normalised", night.normalised);
    add_history_number(json, "usual", night.usual);
    add_history_number(json, "change", night.change);
    add_history_number(json, "score", night.score);
    json.flag("fired", night.fired).flag("begins_segment", night.begins_segment);
    json.flag("level_changed", night.changed != nullptr).text("cohort", night.point->cohort);
    json.text("alert", night.alert).text("note", night.note).close_object();
  }
  json.close_array();
}

std::string series_json(const HistoryView& view, const SeriesNames& names) {
  const track::TrackedSeries& series = view.series->series;
  json::JsonText json;
  json.open_object().text("schema", "stepbench.history").text("version", "1.0.0");
  json.text("id", series.id).text("name", names.name(series));
  json.text("experiment", series.experiment).text("workload", series.workload);
  json.text("case_id", series.case_id).text("metric", series.metric).text("unit", series.unit);
  json.values("options", series.options).values("machine", series.machine);
  write_nights(json, view);
  json.open_array("alerts");
  for (const track::Alert* alert : view.alerts) {
    json.open_object().text("id", alert->id).text("state", track::name_of(alert->state));
    json.text("first_bad", alert->find(series.id)->first_bad);
    json.text("note", alert->note).close_object();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
