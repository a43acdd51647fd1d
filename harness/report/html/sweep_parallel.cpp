// SPDX-License-Identifier: Apache-2.0
// As lines of a scatter: Plotly's own parallel coordinates need WebGL and eval, which a page that
// lets no other script run does not have.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "harness/estimate/ranking.h"
#include "harness/report/html/sweep_figures.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kLineEnd = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kWithFullHover = 100;
constexpr std::size_t kWrittenValues = 12;  // values at an axis

struct SpeedGroup {
  std::string name;
  std::string_view colour;
  double width = 1;
  std::vector<std::size_t> members = {};  // places in view.rows
};

class ParallelFigure {
 public:
  ParallelFigure(const SweepView& view, std::span<const Dimension* const> dimensions)
      : view_(view), dimensions_(dimensions) {}

  document::Figure draw() {
    find_range();
    for (const SpeedGroup& group : groups()) add_group(group);
    json::JsonText& layout = json_.layout();
    std::vector<std::string> titles;
    for (const Dimension* each : dimensions_) titles.push_back(each->title);
    titles.push_back(view_.measure.head);
    add_axis(layout, "xaxis", {.tick_texts = titles, .grid = false});
    layout.json("yaxis", R"({"visible":false,"range":[-0.06,1.06],"fixedrange":true})");
    add_axes(layout);
    const std::string title = sweep_title(view_, dimensions_);
    document::Figure figure{
        .title = title,
        .alt = sweep_alt(view_, "Parallel coordinates, a line for each case", title),
        .json = json_.take(),
        .height_px = 520};
    if (without_ > 0) {
      figure.note =
          text::counted(without_, "case") + " without a number (failed, skipped) not drawn.";
    }
    return figure;
  }

 private:
  void find_range() {
    for (const std::size_t row : view_.rows) {
      const auto value = drawn_value(view_.facts.rows[row], view_.measure);
      values_.push_back(value ? value->centre : kLineEnd);
      if (!value) {
        ++without_;
        continue;
      }
      low_ = std::min(low_, value->centre);
      high_ = std::max(high_, value->centre);
    }
  }

  // Quarters of the cases; the best and those that tie with it are a group of their own.
  std::vector<SpeedGroup> groups() const {
    std::vector<SpeedGroup> made = {{"slowest quarter", series_colour(1)},
                                    {"middle half", kDimColour},
                                    {"fastest quarter", kPlainColour},
                                    {"best *", kBestColour, 3}};
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool best = view_.facts.rows[view_.rows[i]].is_best;
      if (values_[i] == values_[i]) (best ? made[3].members : order).push_back(i);
    }
    const double sign = estimate::is_rate(view_.measure.by) ? -1 : 1;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sign * values_[a] < sign * values_[b];
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t quarter = i * 4 / order.size();
      made[quarter == 0 ? 2 : quarter == 3 ? 0 : 1].members.push_back(order[i]);
    }
    return made;
  }

  [[nodiscard]] double height_of(double value) const {
    return high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
  }
  static double height_of(std::size_t value, std::size_t count) {
    return count < 2 ? 0.5 : static_cast<double>(value) / static_cast<double>(count - 1);
  }

  void add_group(const SpeedGroup& group) {
    if (group.members.empty()) return;
    std::vector<double> across;
    std::vector<double> up;
    std::vector<std::string> texts;
    const bool brief = view_.rows.size() > kWithFullHover;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::size_t i : group.members) {
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        across.push_back(static_cast<double>(d));
        up.push_back(height_of(dimensions_[d]->of_row[i], dimensions_[d]->size()));
        texts.emplace_back();
      }
      across.push_back(static_cast<double>(dimensions_.size()));
      up.push_back(height_of(values_[i]));
      texts.push_back(view_.words.hover(view_.facts.rows[view_.rows[i]], brief));
      across.push_back(kLineEnd);
      up.push_back(kLineEnd);
      texts.emplace_back();
      low = std::min(low, values_[i]);
      high = std::max(high, values_[i]);
    }
    const std::string range = low == high ? text::significant(low) : text::interval_text(low, high);
    json::JsonText& json = json_.open_trace("scatter", group.name + ", " + range);
    json.text("mode", "lines+markers").number("opacity", group.width > 1 ? 1 : 0.6);
    add_numbers(json, "x", across);
    add_numbers(json, "y", up, 4);
    add_hovers(json, texts);
    json.open_object("line").text("color", group.colour).number("width", group.width);
    json.close_object().open_object("marker").integer("size", 5).close_object();
    json.flag("showlegend", true);
    json_.close_trace();
  }

  // An upright line at each dimension, and its values beside it.
  void add_axes(json::JsonText& layout) const {
    layout.open_array("shapes");
    for (std::size_t d = 0; d <= dimensions_.size(); ++d) {
      const auto at = static_cast<double>(d);
      layout.open_object().text("type", "line").number("x0", at).number("x1", at);
      layout.integer("y0", 0).integer("y1", 1).text("layer", "below");
      layout.open_object("line").text("color", kDimColour).integer("width", 1).close_object();
      layout.close_object();
    }
    layout.close_array().open_array("annotations");
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const Dimension& dimension = *dimensions_[d];
      const std::size_t each = (dimension.size() + kWrittenValues - 1) / kWrittenValues;
      for (std::size_t value = 0; value < dimension.size(); value += each) {
        add_words(layout, d, height_of(value, dimension.size()), dimension.texts[value], "left");
      }
    }
    constexpr int kMarks = 4;
    for (int i = 0; i <= kMarks; ++i) {
      const double share = static_cast<double>(i) / kMarks;
      add_words(layout, dimensions_.size(), share, text::significant(low_ + share * (high_ - low_)),
                "right");
    }
    layout.close_array();
  }

  static void add_words(json::JsonText& layout, std::size_t dimension, double height,
                        const std::string& words, const char* side) {
    layout.open_object().text("text", plotly_text(words, 20)).flag("showarrow", false);
    layout.number("x", static_cast<double>(dimension)).number("y", height);
    const bool left = side == std::string_view("left");
    layout.text("xanchor", side).integer("xshift", left ? 6 : -6);
    layout.open_object("font").integer("size", 11).close_object().close_object();
  }

  const SweepView& view_;
  std::span<const Dimension* const> dimensions_;
  std::vector<double> values_;  // of view.rows; NaN: none
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  std::int64_t without_ = 0;
  FigureJson json_;
};

}  // namespace

document::Figure parallel_figure(const SweepView& view,
                                 std::span<const Dimension* const> dimensions) {
  return ParallelFigure(view, dimensions).draw();
}

}  // namespace stepbench::report
