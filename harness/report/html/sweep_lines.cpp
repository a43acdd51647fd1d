// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "harness/report/answer.h"
#include "harness/report/html/panels.h"
#include "harness/report/html/sweep_figures.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kHole = std::numeric_limits<double>::quiet_NaN();
constexpr int kPanelHeight = 420;

// Where a row stands: place on x, line, panel.
using LinePlace = std::array<std::size_t, 3>;

class LinesFigure {
 public:
  LinesFigure(const SweepView& view, const Dimension& x, const Dimension* line,
              const Dimension* panel)
      : view_(view), x_(x), line_(line), panel_(panel) {
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
      const LinePlace at = {x.of_row[i], line == nullptr ? 0 : line->of_row[i],
                            panel == nullptr ? 0 : panel->of_row[i]};
      if (!at_.try_emplace(at, &view.facts.rows[view.rows[i]]).second) ++hidden_;
    }
  }

  document::Figure draw() {
    const std::size_t panels = panel_ == nullptr ? 1 : panel_->size();
    const std::size_t lines = line_ == nullptr ? 1 : line_->size();
    for (std::size_t panel = 0; panel < panels; ++panel) {
      for (std::size_t line = 0; line < lines; ++line) add_line(line, panel);
    }
    add_crosses(panels, lines);
    const Panels places(panels);
    json::JsonText& layout = json_.layout(panels > 1 ? 1.1 : 1.02);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      places.add_axes(
          layout, panel,
          {.title = x_.title, .kind = x_.kind, .tick_texts = x_.texts, .ticks = x_.places},
          {.title = view_.measure.head, .from_zero = true});
    }
    if (panel_ != nullptr) places.add_titles(layout, titles_of(*panel_));
    std::vector<const Dimension*> dimensions = {&x_};
    for (const Dimension* each : {line_, panel_}) {
      if (each != nullptr) dimensions.push_back(each);
    }
    const std::string title = sweep_title(view_, dimensions);
    document::Figure figure{.title = title,
                            .alt = sweep_alt(view_, "Lines with intervals", title),
                            .json = json_.take(),
                            .height_px = places.height_px(kPanelHeight)};
    if (hidden_ > 0) {
      figure.note = text::counted(hidden_, "case") +
                    " with the same options as another one not drawn; the table has all.";
    }
    return figure;
  }

 private:
  static std::vector<std::string> titles_of(const Dimension& panel) {
    std::vector<std::string> titles;
    for (const std::string& text : panel.texts) titles.push_back(panel.title + '=' + text);
    return titles;
  }

  void add_line(std::size_t line, std::size_t panel) {
    std::vector<double> values;
    std::vector<stats::Interval> intervals;
    std::vector<std::string> texts;
    std::vector<std::string> marks;
    bool any = false;
    for (std::size_t x = 0; x < x_.size(); ++x) {
      const auto found = at_.find({x, line, panel});
      const estimate::CaseRow* row = found == at_.end() ? nullptr : found->second;
      const auto value = row == nullptr ? std::nullopt : drawn_value(*row, view_.measure);
      any = any || value;
      values.push_back(value ? value->centre : kHole);
      intervals.push_back(value ? value->interval : stats::Interval{kHole, kHole});
      texts.push_back(value ? view_.words.hover(*row) : std::string());
      marks.emplace_back(value && row->is_best ? kBestMark : "");
    }
    if (!any) return;
    const bool named = line_ != nullptr;
    json::JsonText& json =
        json_.open_trace("scatter", named ? line_->title + '=' + line_->texts[line] : "");
    json.text("mode", x_.numbers ? "lines+markers+text" : "markers+text");
    add_numbers(json, "x", x_.places, std::numeric_limits<double>::max_digits10);
    add_numbers(json, "y", values);
    add_intervals(json, "error_y", values, intervals, series_colour(line));
    add_hovers(json, texts);
    json.texts("text", marks).text("textposition", "top right");
    json.open_object("line").text("color", series_colour(line)).text("dash", series_dash(line));
    json.close_object().open_object("marker").text("symbol", series_symbol(line));
    json.integer("size", 9).text("color", series_colour(line)).close_object();
    json.text("xaxis", Panels::axis('x', panel)).text("yaxis", Panels::axis('y', panel));
    // One entry of the legend switches the line of all panels.
    json.text("legendgroup", std::to_string(line));
    json.flag("showlegend", named && named_.insert(line).second);
    json_.close_trace();
  }

  // On the axis, where no number can be.
  void add_crosses(std::size_t panels, std::size_t lines) {
    bool in_legend = true;
    for (std::size_t panel = 0; panel < panels; ++panel) {
      std::vector<double> places;
      std::vector<std::string> texts;
      for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t x = 0; x < x_.size(); ++x) {
          const auto found = at_.find({x, line, panel});
          if (found == at_.end() || drawn_value(*found->second, view_.measure)) continue;
          places.push_back(x_.places[x]);
          texts.push_back(view_.words.hover(*found->second));
        }
      }
      if (places.empty()) continue;
      json::JsonText& json = json_.open_trace("scatter", kNoNumber);
      json.text("mode", "markers");
      add_numbers(json, "x", places, std::numeric_limits<double>::max_digits10);
      add_numbers(json, "y", std::vector<double>(places.size(), 0));
      add_hovers(json, texts);
      add_cross_marker(json);
      json.text("xaxis", Panels::axis('x', panel)).text("yaxis", Panels::axis('y', panel));
      json.text("legendgroup", "crosses").flag("showlegend", std::exchange(in_legend, false));
      json_.close_trace();
    }
  }

  const SweepView& view_;
  const Dimension& x_;
  const Dimension* line_;
  const Dimension* panel_;
  std::map<LinePlace, const estimate::CaseRow*> at_;
  std::set<std::size_t> named_;
  std::int64_t hidden_ = 0;
  FigureJson json_;
};

}  // namespace

document::Figure lines_figure(const SweepView& view, const Dimension& x, const Dimension* line,
                              const Dimension* panel) {
  return LinesFigure(view, x, line, panel).draw();
}

}  // namespace stepbench::report
