// SPDX-License-Identifier: Apache-2.0
// Small multiples: the places of several plots beside and below each other in one figure. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "harness/json/json_text.h"
#include "harness/report/html/figure.h"

namespace stepbench::report {

inline constexpr std::size_t kMaxPanels = 12;

class Panels {
 public:
  explicit Panels(std::size_t count);

  // "x", "x2", … and "y", "y2", …: axes of a trace in this panel.
  [[nodiscard]] static std::string axis(char letter, std::size_t panel);
  // Both axes of a panel; all panels have one range. Titles stand at the outer ones.
  void add_axes(json::JsonText& layout, std::size_t panel, Axis x, Axis y) const;
  // Words above each panel; nothing where there is one without words.
  void add_titles(json::JsonText& layout, const std::vector<std::string>& titles) const;
  [[nodiscard]] int height_px(int of_one) const;

 private:
  std::size_t count_;
  std::size_t columns_;
  std::size_t rows_;
};

}  // namespace stepbench::report
