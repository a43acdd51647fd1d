// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/panels.h"

#include <algorithm>
#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kColumns = 3;
constexpr double kGapAcross = 0.08;
constexpr double kGapsDown = 0.32;  // of all rows together

// The `place`-th of `count` parts of a length of 1, with gaps between them.
std::pair<double, double> part_of(std::size_t place, std::size_t count, double gap) {
  const double n = static_cast<double>(count);
  const double length = (1 - gap * (n - 1)) / n;
  const double begin = static_cast<double>(place) * (length + gap);
  return {begin, std::min(1.0, begin + length)};
}

std::string domain_text(std::pair<double, double> part) {
  return text::short_number(part.first, 4) + ',' + text::short_number(part.second, 4);
}

}  // namespace

Panels::Panels(std::size_t count)
    : count_(std::max<std::size_t>(count, 1)),
      columns_(count_ == 4 ? 2 : std::min(count_, kColumns)),
      rows_((count_ + columns_ - 1) / columns_) {}

std::string Panels::axis(char letter, std::size_t panel) {
  return letter + (panel == 0 ? std::string() : std::to_string(panel + 1));
}

void Panels::add_axes(json::JsonText& layout, std::size_t panel, Axis x, Axis y) const {
  const std::size_t column = panel % columns_;
  const std::size_t row = panel / columns_;
  if (panel + columns_ < count_) x.title.clear();
  if (column > 0) y.title.clear();
  if (count_ > 1) {
    x.domain = domain_text(part_of(column, columns_, kGapAcross));
    y.domain = domain_text(part_of(rows_ - 1 - row, rows_, kGapsDown / static_cast<double>(rows_)));
  }
  x.anchor = axis('y', panel);
  y.anchor = axis('x', panel);
  if (panel > 0) {
    x.matches = "x";
    y.matches = "y";
  }
  const auto name = [&](const char* which) {
    return which + (panel == 0 ? std::string() : std::to_string(panel + 1));
  };
  add_axis(layout, name("xaxis"), x);
  add_axis(layout, name("yaxis"), y);
}

void Panels::add_titles(json::JsonText& layout, const std::vector<std::string>& titles) const {
  if (titles.empty()) return;
  layout.open_array("annotations");
  for (std::size_t panel = 0; panel < titles.size(); ++panel) {
    layout.open_object().text("text", plotly_text(titles[panel], 50)).flag("showarrow", false);
    layout.text("xref", axis('x', panel) + " domain").text("yref", axis('y', panel) + " domain");
    layout.number("x", 0.5).number("y", 1).text("yanchor", "bottom").close_object();
  }
  layout.close_array();
}

int Panels::height_px(int of_one) const {
  return rows_ == 1 ? of_one : static_cast<int>(rows_) * (of_one * 2 / 3) + of_one / 3;
}

}  // namespace stepbench::report
