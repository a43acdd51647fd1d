// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/history_chart.h"
#include "harness/report/history_words.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/series_chart.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// In which a series' values are drawn.
struct DrawnUnit {
  std::string name;
  double factor = 1;
};

DrawnUnit drawn_unit(const HistoryView& view) {
  const std::string& unit = view.series->series.unit;
  std::vector<double> values;
  for (const HistoryNight& night : view.nights) {
    if (has_value(night)) values.push_back(night.point->value);
  }
  if (unit == "ns" && !values.empty()) {
    const text::TimeUnit time = text::unit_for(values);
    return {std::string(time.name), time.ns};
  }
  if (unit == "bytes") return {"MiB", 0x1p20};
  return {unit, 1};
}

std::string night_hover(const HistoryNight& night, const HistoryView& view) {
  const std::string& unit = view.series->series.unit;
  const track::TrackedPoint& point = *night.point;
  std::vector<std::string> lines = {night.run->started_utc, amount_text(point.value, unit)};
  if (point.low < point.high) {
    lines.back() +=
        ", 95 % interval " + amount_text(point.low, unit) + " to " + amount_text(point.high, unit);
  }
  lines.push_back(text::counted(point.launches, "launch"));
  if (night.usual()) {
    lines.push_back("usual then " + amount_text(*night.usual(), unit) + ", " +
                    text::signed_percent(*night.change()) + " %");
  }
  std::string program = program_text(*night.run);
  if (!night.run->git_branch.empty()) {
    program += (program.empty() ? "" : ", ") + ("branch " + night.run->git_branch);
  }
  if (!program.empty()) lines.push_back(std::move(program));
  for (const auto& [name, value] : night.run->labels) lines.push_back(name + '=' + to_text(value));
  for (std::string& mark : marks_of(night)) lines.push_back(std::move(mark));
  if (const nights::Alert* alert = alert_named(view, night.alert)) {
    lines.push_back(alert_words(*alert));
  }
  lines.push_back("run " + night.run->run_id);
  return hover_text(lines);
}

class SeriesDrawing {
 public:
  explicit SeriesDrawing(const HistoryView& view) : view_(view), unit_(drawn_unit(view)) {
    for (const HistoryNight& night : view.nights) {
      if (has_value(night)) shown_.push_back(&night);
    }
  }

  [[nodiscard]] const DrawnUnit& unit() const { return unit_; }
  [[nodiscard]] std::size_t nights() const { return shown_.size(); }

  void add_values() {
    std::vector<double> values;
    std::vector<stats::Interval> intervals;
    std::vector<std::string> hovers;
    for (const HistoryNight* night : shown_) {
      const track::TrackedPoint& point = *night->point;
      values.push_back(point.value / unit_.factor);
      const bool interval = point.low < point.high;
      intervals.push_back(interval
                              ? stats::Interval{point.low / unit_.factor, point.high / unit_.factor}
                              : stats::Interval{kNone, kNone});
      hovers.push_back(night_hover(*night, view_));
    }
    json::JsonText& json = figure_.open_trace("scatter", "value with its interval");
    json.text("mode", "lines+markers");
    add_dates(json, shown_);
    add_numbers(json, "y", values, kValueDigits);
    add_intervals(json, "error_y", values, intervals);
    add_hovers(json, hovers);
    json.open_object("line").text("color", kPlainColour).integer("width", 1).close_object();
    json.open_object("marker").text("color", kPlainColour).integer("size", 5).close_object();
    figure_.close_trace();
  }

  void add_usual() {
    std::vector<double> usual;
    bool any = false;
    for (const HistoryNight* night : shown_) {
      usual.push_back(night->usual().value_or(kNone) / unit_.factor);
      any = any || night->usual().has_value();
    }
    if (any) add_line("usual then", shown_, usual, kDimColour, "dot");
  }

  // The nights of which it is so, at their values.
  void add_marks(const MarkLook& look, const std::function<bool(const HistoryNight&)>& marked) {
    std::vector<const HistoryNight*> nights;
    std::vector<double> values;
    std::vector<std::string> hovers;
    for (const HistoryNight* night : shown_) {
      if (!marked(*night)) continue;
      nights.push_back(night);
      values.push_back(night->point->value / unit_.factor);
      hovers.push_back(night_hover(*night, view_));
    }
    if (nights.empty()) return;
    json::JsonText& json = figure_.open_trace("scatter", look.name);
    json.text("mode", "markers");
    add_dates(json, nights);
    add_numbers(json, "y", values, kValueDigits);
    add_hovers(json, hovers);
    add_marker(json, look, 12);
    figure_.close_trace();
  }

  // By itself an axis reaches to 0 where what is drawn comes near it.
  [[nodiscard]] bool begins_above_0() const {
    constexpr double kPadding = 0.07;  // of its length, at each end
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const HistoryNight* night : shown_) {
      low = std::min({low, night->point->value, night->point->low});
      high = std::max({high, night->point->value, night->point->high});
    }
    return low > kPadding * (high - low) && low > 0;
  }

  std::string take(const std::string& title) {
    json::JsonText& layout = figure_.layout();
    add_axis(layout, "xaxis",
             {.title = "night (UTC)", .kind = AxisKind::kDate, .range = range_of_dates()});
    add_axis(layout, "yaxis", {.title = title});
    return figure_.take();
  }

 private:
  static constexpr int kValueDigits = 6;

  // Days at least: of a single night the axis would count microseconds.
  [[nodiscard]] std::string range_of_dates() const {
    constexpr auto kAround = std::chrono::hours(36);
    const auto first = text::parse_utc(shown_.front()->run->started_utc);
    const auto last = text::parse_utc(shown_.back()->run->started_utc);
    if (!first || !last || *last - *first >= kAround) return {};
    return '"' + text::utc_text(*first - kAround) + "\",\"" + text::utc_text(*last + kAround) + '"';
  }

  static void add_dates(json::JsonText& json, const std::vector<const HistoryNight*>& nights) {
    json.open_array("x");
    for (const HistoryNight* night : nights) json.text({}, night->run->started_utc);
    json.close_array();
  }

  void add_line(std::string_view name, const std::vector<const HistoryNight*>& nights,
                const std::vector<double>& values, std::string_view colour, std::string_view dash) {
    json::JsonText& json = figure_.open_trace("scatter", name);
    json.text("mode", "lines").text("hoverinfo", "skip");
    add_dates(json, nights);
    add_numbers(json, "y", values, kValueDigits);
    json.open_object("line").text("color", colour).text("dash", dash);
    json.text("shape", "hv").close_object();
    figure_.close_trace();
  }

  const HistoryView& view_;
  DrawnUnit unit_;
  std::vector<const HistoryNight*> shown_;
  FigureJson figure_;
};

bool is_accepted(const HistoryNight& night, const HistoryView& view) {
  const nights::Alert* alert = alert_named(view, night.alert);
  return alert != nullptr && alert->state == nights::AlertState::kAccepted;
}

}  // namespace

std::optional<document::Figure> series_figure(const HistoryView& view, const SeriesNames& names) {
  SeriesDrawing drawing(view);
  if (drawing.nights() == 0) return std::nullopt;
  const track::TrackedSeries& series = view.series->series;
  const std::string name = names.name(series);
  drawing.add_values();
  drawing.add_usual();
  drawing.add_marks({"improvement", kBestColour, "triangle-down"}, [](const HistoryNight& night) {
    return night.judged && night.judged->state == nights::NightState::kImprovement;
  });
  drawing.add_marks({"suspect", series_colour(3), "circle-open"},
                    [](const HistoryNight& night) { return night.is_suspect(); });
  drawing.add_marks({"alert", kBadColour, "triangle-up"}, [&](const HistoryNight& night) {
    return !night.alert.empty() && !is_accepted(night, view);
  });
  drawing.add_marks(
      {"alert that was accepted", kDimColour, "square"},
      [&](const HistoryNight& night) { return !night.alert.empty() && is_accepted(night, view); });
  drawing.add_marks({"busy machine", series_colour(2), "x-open"},
                    [](const HistoryNight& night) { return night.busy.has_value(); });
  drawing.add_marks({"note", series_colour(5), "star-open"},
                    [](const HistoryNight& night) { return !night.note.empty(); });
  const std::size_t missing = view.nights.size() - drawing.nights();
  std::vector<std::string> notes;
  if (missing > 0) {
    notes.push_back(text::counted(std::int64_t(missing), "night") + " without a value " +
                    (missing == 1 ? "is" : "are") + " left out.");
  }
  if (view.nights.size() == kMaxNights) {
    notes.push_back("The newest " + text::with_separators(kMaxNights) + " nights.");
  }
  if (drawing.begins_above_0()) notes.emplace_back("The axis does not begin at 0.");
  std::string alt = name + " over " + text::counted(std::int64_t(drawing.nights()), "night");
  for (const nights::Alert* alert : view.alerts) alt += "; " + alert_words(*alert);
  const std::string metric = metric_label(series.metric);
  const std::string unit = drawing.unit().name.empty() ? "" : " [" + drawing.unit().name + "]";
  return document::Figure{.title = name,
                          .alt = alt + '.',
                          .in_text = draw_chart(view),
                          .json = drawing.take(metric + unit),
                          .note = text::join(notes, " "),
                          .height_px = 360};
}

}  // namespace stepbench::report
