// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "harness/report/answer.h"
#include "harness/report/html/panels.h"
#include "harness/report/html/sweep_figures.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxWrittenCells = 300;  // cells with their number in them
constexpr double kNoCell = std::numeric_limits<double>::quiet_NaN();

using HeatPlace = std::array<std::size_t, 3>;  // panel, y, x

class HeatFigure {
 public:
  HeatFigure(const SweepView& view, const Dimension& x, const Dimension& y, const Dimension* panel)
      : view_(view), x_(x), y_(y), panel_(panel), panels_(panel == nullptr ? 1 : panel->size()) {
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
      const HeatPlace at = {panel == nullptr ? 0 : panel->of_row[i], y.of_row[i], x.of_row[i]};
      if (!at_.try_emplace(at, &view.facts.rows[view.rows[i]]).second) ++hidden_;
    }
    written_ = x.size() * y.size() * panels_ <= kMaxWrittenCells;
    brief_ = view.rows.size() > kMaxWrittenCells;
  }

  document::Figure draw() {
    for (std::size_t panel = 0; panel < panels_; ++panel) add_cells(panel);
    for (std::size_t panel = 0; panel < panels_; ++panel) add_failures(panel);
    const Panels places(panels_);
    json::JsonText& layout = json_.layout(panels_ > 1 ? 1.1 : 1.02);
    for (std::size_t panel = 0; panel < panels_; ++panel) {
      places.add_axes(layout, panel, {.title = x_.title, .tick_texts = x_.texts, .grid = false},
                      {.title = y_.title, .tick_texts = y_.texts, .grid = false});
    }
    layout.open_object("coloraxis").text("colorscale", kColourScale);
    add_range_of_colours(layout);
    layout.open_object("colorbar");
    layout.open_object("title").text("text", plotly_text(view_.measure.head)).close_object();
    layout.close_object().close_object();
    std::vector<const Dimension*> dimensions = {&y_, &x_};
    if (panel_ != nullptr) {
      std::vector<std::string> titles;
      for (const std::string& text : panel_->texts) titles.push_back(panel_->title + '=' + text);
      places.add_titles(layout, titles);
      dimensions.push_back(panel_);
    }
    const std::string title = sweep_title(view_, dimensions);
    const int height = std::clamp(static_cast<int>(y_.size()) * 44 + 140, 300, 900);
    document::Figure figure{.title = title,
                            .alt = sweep_alt(view_, "Heat map", title),
                            .json = json_.take(),
                            .height_px = places.height_px(height)};
    if (hidden_ > 0) {
      figure.note = text::counted(hidden_, "case") +
                    " with the same options as another one not drawn; the table has all.";
    }
    return figure;
  }

 private:
  // Cases that hardly differ look alike: the scale goes down at least a fifth of their value.
  void add_range_of_colours(json::JsonText& layout) const {
    constexpr double kLeast = 0.2;  // of the highest value
    if (!(high_ > 0) || high_ - low_ >= kLeast * high_) return;
    add_number(layout, "cmin", (1 - kLeast) * high_);
    add_number(layout, "cmax", high_);
  }

  const estimate::CaseRow* row_at(std::size_t panel, std::size_t y, std::size_t x) const {
    const auto found = at_.find({panel, y, x});
    return found == at_.end() ? nullptr : found->second;
  }

  void add_cells(std::size_t panel) {
    json::JsonText& json = json_.open_trace("heatmap");
    json.open_array("z");
    for (std::size_t y = 0; y < y_.size(); ++y) {
      std::vector<double> line;
      for (std::size_t x = 0; x < x_.size(); ++x) {
        const estimate::CaseRow* row = row_at(panel, y, x);
        const auto value = row == nullptr ? std::nullopt : drawn_value(*row, view_.measure);
        line.push_back(value ? colour_value(view_, *row, value->centre) : kNoCell);
        if (!value) continue;
        low_ = std::min(low_, line.back());
        high_ = std::max(high_, line.back());
      }
      add_numbers(json, {}, line);
    }
    json.close_array();
    if (written_)
      add_words(json, panel, "text", [&](const estimate::CaseRow& row, const DrawnValue& value) {
        return text::significant(value.centre) + (row.is_best ? std::string(" ") + kBestMark : "");
      });
    add_words(json, panel, "hovertext", [&](const estimate::CaseRow& row, const DrawnValue&) {
      return view_.words.hover(row, brief_);
    });
    if (written_) json.text("texttemplate", "%{text}");
    json.text("hoverinfo", "text").text("coloraxis", "coloraxis");
    json.integer("xgap", 2).integer("ygap", 2).flag("hoverongaps", false);
    json.text("xaxis", Panels::axis('x', panel)).text("yaxis", Panels::axis('y', panel));
    json_.close_trace();
  }

  template <typename TextOf>
  void add_words(json::JsonText& json, std::size_t panel, const char* key,
                 const TextOf& text_of) const {
    json.open_array(key);
    for (std::size_t y = 0; y < y_.size(); ++y) {
      json.open_array();
      for (std::size_t x = 0; x < x_.size(); ++x) {
        const estimate::CaseRow* row = row_at(panel, y, x);
        const auto value = row == nullptr ? std::nullopt : drawn_value(*row, view_.measure);
        json.text({}, value ? text_of(*row, *value) : std::string());
      }
      json.close_array();
    }
    json.close_array();
  }

  void add_failures(std::size_t panel) {
    std::vector<double> across;
    std::vector<double> up;
    std::vector<std::string> texts;
    for (const auto& [at, row] : at_) {
      if (at[0] != panel || drawn_value(*row, view_.measure)) continue;
      up.push_back(static_cast<double>(at[1]));
      across.push_back(static_cast<double>(at[2]));
      texts.push_back(view_.words.hover(*row, brief_));
    }
    if (across.empty()) return;
    json::JsonText& json = json_.open_trace("scatter", kNoNumber);
    json.text("mode", "markers");
    add_numbers(json, "x", across);
    add_numbers(json, "y", up);
    add_hovers(json, texts);
    add_cross_marker(json);
    json.text("xaxis", Panels::axis('x', panel)).text("yaxis", Panels::axis('y', panel));
    json.text("legendgroup", "crosses").flag("showlegend", std::exchange(in_legend_, false));
    json_.close_trace();
  }

  const SweepView& view_;
  const Dimension& x_;
  const Dimension& y_;
  const Dimension* panel_;
  std::size_t panels_;
  std::map<HeatPlace, const estimate::CaseRow*> at_;
  bool written_ = true;
  bool brief_ = false;
  bool in_legend_ = true;
  std::int64_t hidden_ = 0;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  FigureJson json_;
};

}  // namespace

document::Figure heat_figure(const SweepView& view, const Dimension& x, const Dimension& y,
                             const Dimension* panel) {
  return HeatFigure(view, x, y, panel).draw();
}

}  // namespace stepbench::report
