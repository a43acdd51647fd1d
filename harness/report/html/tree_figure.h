// SPDX-License-Identifier: Apache-2.0
// A tree of times as nested areas: a treemap, or an icicle, which is a flame view from the top.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::report {

struct TreeItem {
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  std::string label = {};
  std::vector<std::string> hover = {};  // lines, plain text
  std::size_t parent = kNoParent;       // of the root alone
  // Without its children. What is below zero is drawn as nothing.
  double value = 0;
  std::string_view colour = {};  // empty: of its parent
};

// `items`: one root, a parent before its children. `type`: "treemap" or "icicle"; an icicle keeps
// the order of siblings. The JSON of a Figure.
[[nodiscard]] std::string tree_figure(std::string_view type, const std::vector<TreeItem>& items);

// Levels of the tree: 1 for a root alone.
[[nodiscard]] std::size_t levels_of(const std::vector<TreeItem>& items);

}  // namespace stepbench::report
