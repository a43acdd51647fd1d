// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "harness/report/answer.h"
#include "harness/report/html/sweep_figures.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr int kDotPx = 24;

class DotsFigure {
 public:
  DotsFigure(const SweepView& view, std::span<const std::size_t> rows, const Dimension* series)
      : view_(view), rows_(rows), series_(series) {
    for (std::size_t i = 0; i < view.rows.size() && series != nullptr; ++i) {
      series_of_[view.rows[i]] = series->of_row[i];
    }
  }

  document::Figure draw() {
    const std::size_t count = series_ == nullptr ? 1 : series_->size();
    for (std::size_t each = 0; each < count; ++each) add_dots(each);
    const bool crosses = add_crosses();
    json::JsonText& layout = json_.layout();
    add_axis(layout, "xaxis", {.title = view_.measure.head});
    std::vector<std::string> labels;
    for (const std::size_t row : rows_) labels.push_back(view_.words.tick(view_.facts.rows[row]));
    add_axis(layout, "yaxis", {.tick_texts = labels, .downwards = true});
    if (crosses) {
      layout.json("xaxis2", R"({"overlaying":"x","range":[0,1],"visible":false,)"
                            R"("fixedrange":true})");
    }
    const std::string title = title_text();
    return {.title = title,
            .alt = sweep_alt(view_, "Dots with intervals", title),
            .json = json_.take(),
            .note = "The axis begins near the smallest value, not at 0.",
            .height_px = 130 + kDotPx * static_cast<int>(rows_.size())};
  }

 private:
  std::string title_text() const {
    const std::size_t all = view_.facts.rows.size();
    if (rows_.size() == all) return view_.measure.head + " of each case";
    return view_.measure.head + " of the best " + std::to_string(rows_.size()) + " of " +
           text::counted(static_cast<std::int64_t>(all), "case");
  }

  std::size_t series_of(std::size_t row) const {
    const auto found = series_of_.find(row);
    return found == series_of_.end() ? 0 : found->second;
  }

  void add_dots(std::size_t series) {
    std::vector<double> values;
    std::vector<double> places;
    std::vector<stats::Interval> intervals;
    std::vector<std::string> texts;
    std::vector<std::string> marks;
    std::vector<std::string_view> colours;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const estimate::CaseRow& row = view_.facts.rows[rows_[i]];
      const auto value = drawn_value(row, view_.measure);
      if (!value || series_of(rows_[i]) != series) continue;
      values.push_back(value->centre);
      places.push_back(static_cast<double>(i));
      intervals.push_back(value->interval);
      texts.push_back(view_.words.hover(row));
      marks.emplace_back(row.is_best ? kBestMark : "");
      colours.push_back(row.is_best ? kBestColour : series_colour(series));
    }
    if (values.empty()) return;
    const bool named = series_ != nullptr;
    json::JsonText& json = json_.open_trace("scatter", named ? series_->texts[series] : "");
    json.text("mode", "markers+text");
    add_numbers(json, "x", values);
    add_numbers(json, "y", places);
    add_intervals(json, "error_x", values, intervals, series_colour(series));
    add_hovers(json, texts);
    json.texts("text", marks).text("textposition", "top center").flag("showlegend", named);
    json.open_object("marker").integer("size", 9).text("symbol", series_symbol(series));
    json.open_array("color");
    for (const std::string_view colour : colours) json.text({}, colour);
    json.close_array().close_object();
    json_.close_trace();
  }

  // At the left edge, on an axis of their own: no number is meant.
  bool add_crosses() {
    std::vector<double> places;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const estimate::CaseRow& row = view_.facts.rows[rows_[i]];
      if (drawn_value(row, view_.measure)) continue;
      places.push_back(static_cast<double>(i));
      texts.push_back(view_.words.hover(row));
    }
    if (places.empty()) return false;
    json::JsonText& json = json_.open_trace("scatter", kNoNumber);
    json.text("mode", "markers");
    add_numbers(json, "x", std::vector<double>(places.size(), 0.01));
    add_numbers(json, "y", places);
    add_hovers(json, texts);
    json.text("xaxis", "x2");
    add_cross_marker(json);
    json.flag("showlegend", true);
    json_.close_trace();
    return true;
  }

  const SweepView& view_;
  std::span<const std::size_t> rows_;
  const Dimension* series_;
  std::map<std::size_t, std::size_t> series_of_;
  FigureJson json_;
};

}  // namespace

document::Figure dots_figure(const SweepView& view, std::span<const std::size_t> rows,
                             const Dimension* series) {
  return DotsFigure(view, rows, series).draw();
}

}  // namespace stepbench::report
