// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/tree_figure.h"

#include <algorithm>

#include "harness/report/html/figure.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLabelCells = 60;

}  // namespace

std::size_t levels_of(const std::vector<TreeItem>& items) {
  std::vector<std::size_t> level(items.size(), 1);
  std::size_t levels = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].parent < i) level[i] = level[items[i].parent] + 1;
    levels = std::max(levels, level[i]);
  }
  return levels;
}

std::string tree_figure(std::string_view type, const std::vector<TreeItem>& items) {
  std::vector<std::string> labels;
  std::vector<std::string> ids;
  std::vector<std::string> parents;
  std::vector<std::string> hovers;
  std::vector<std::string> colours;
  std::vector<double> values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const TreeItem& item = items[i];
    const bool root = item.parent >= i;
    ids.push_back(std::to_string(i));
    parents.push_back(root ? "" : std::to_string(item.parent));
    labels.push_back(plotly_text(item.label, kLabelCells));
    values.push_back(std::max(item.value, 0.0));
    hovers.push_back(hover_text(item.hover));
    if (!item.colour.empty()) {
      colours.emplace_back(item.colour);
    } else {
      colours.push_back(root ? std::string(kDimColour) : colours[item.parent]);
    }
  }
  FigureJson figure;
  json::JsonText& json = figure.open_trace(type);
  json.texts("ids", ids).texts("labels", labels).texts("parents", parents);
  add_numbers(json, "values", values);
  json.text("branchvalues", "remainder");
  add_hovers(json, hovers);
  json.text("textinfo", "label+percent root");
  if (type == "icicle") {
    json.json("tiling", R"({"orientation":"v","pad":1})").flag("sort", false);
  } else {
    json.json("tiling", R"({"pad":2})");
  }
  json.open_object("marker").texts("colors", colours);
  json.json("line", R"({"color":"#FFFFFF","width":1})").close_object();
  json.json("pathbar", R"({"visible":true})");
  figure.close_trace();
  figure.layout();
  return figure.take();
}

}  // namespace stepbench::report
