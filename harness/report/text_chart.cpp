// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text_chart.h"

#include <algorithm>
#include <cmath>

#include "harness/report/series_names.h"
#include "harness/text/utf8.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLabelEvery = 3;  // lines between two axis labels
constexpr double kMinSpan = 0.02;       // share of the level

}  // namespace

std::size_t ChartScale::part(double value, std::size_t parts) const {
  const auto last = static_cast<double>(parts - 1);
  const double share = (high - value) / (high - low);
  return static_cast<std::size_t>(std::clamp(std::round(share * last), 0.0, last));
}

double ChartScale::value(std::size_t line, std::size_t lines) const {
  return high - (high - low) * (static_cast<double>(line) + 0.5) / static_cast<double>(lines);
}

std::optional<ChartScale> chart_scale(std::span<const double> values) {
  std::optional<ChartScale> scale;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (!scale) scale = ChartScale{value, value};
    scale->low = std::min(scale->low, value);
    scale->high = std::max(scale->high, value);
  }
  if (!scale) return scale;
  const double middle = (scale->low + scale->high) / 2;
  const double least = middle == 0 ? 1 : kMinSpan * std::abs(middle);
  if (scale->high - scale->low < least) *scale = {middle - least / 2, middle + least / 2};
  return scale;
}

std::vector<std::string> chart_labels(const ChartScale& scale, std::size_t lines,
                                      std::string_view unit) {
  std::vector<std::string> labels(lines);
  for (std::size_t line = 0; line < lines; line += kLabelEvery) {
    labels[line] = amount_text(scale.value(line, lines), unit);
  }
  const std::size_t last = lines - 1;
  labels[last] = amount_text(scale.value(last, lines), unit);
  if (last % kLabelEvery != 0) labels[last / kLabelEvery * kLabelEvery].clear();
  return labels;
}

std::string framed_chart(const std::vector<std::string>& lines,
                         const std::vector<std::string>& labels, std::size_t label_width,
                         std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += padded_left(labels[i], label_width) + (labels[i].empty() ? " │" : " ┤") + lines[i];
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  text += std::string(label_width, ' ') + " └";
  for (std::size_t i = 0; i < columns; ++i) text += "─";
  return text + '\n';
}

std::string marks_line(const std::vector<std::pair<std::size_t, std::string>>& marks) {
  std::string line;
  for (const auto& [column, text] : marks) {
    const std::size_t used = text::width(line);
    if (used > column) {
      line += text.size() > 1 ? " " + text : "";
      continue;
    }
    line += std::string(column - used, ' ') + text;
  }
  return line;
}

std::string padded_left(const std::string& text, std::size_t cells) {
  return std::string(cells - std::min(cells, text::width(text)), ' ') + text;
}

}  // namespace stepbench::report
