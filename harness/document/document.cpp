// SPDX-License-Identifier: Apache-2.0
#include "harness/document/document.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "harness/text/words.h"

namespace stepbench::document {
namespace {

template <typename Words>
Cell cell_of(std::optional<double> value, const Words& words) {
  if (!value || !std::isfinite(*value)) return "-";
  return {words(*value), value};
}

}  // namespace

Cell number(std::optional<double> value) {
  return cell_of(value, [](double each) { return text::significant(each); });
}

Cell short_number(std::optional<double> value, int decimals) {
  return cell_of(value, [&](double each) { return text::short_number(each, decimals); });
}

Cell count(std::int64_t value) {
  return {text::with_separators(value), static_cast<double>(value)};
}

Cell time(std::optional<double> ns, const text::TimeUnit& unit) {
  constexpr double kMin = 0.001;
  return cell_of(ns, [&](double time_ns) -> std::string {
    const double value = time_ns / unit.ns;
    return value > 0 && value < kMin ? "<0.001" : text::significant(value);
  });
}

Cell part_of_time(double ns, const text::TimeUnit& unit, double whole_ns) {
  const auto place = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  const double value = ns / unit.ns;
  if (!(whole_ns > 0) || !(value > 0)) return time(ns, unit);
  const int decimals = std::clamp(3 - place(whole_ns / unit.ns), 0, 3);
  const double least = std::pow(10, -decimals);
  if (value < least) return {'<' + text::short_number(least, decimals), value};
  return {text::significant(value, std::clamp(place(value) + decimals + 1, 1, 3)), value};
}

Cell duration(std::optional<double> ns) { return cell_of(ns, text::duration); }

Cell signed_duration(std::optional<double> ns) { return cell_of(ns, text::signed_duration); }

Cell bytes(std::optional<double> value) { return cell_of(value, text::byte_text); }

Cell percent(std::optional<double> share) { return cell_of(share, text::percent); }

Cell share(double part, double whole) { return whole > 0 ? percent(part / whole) : Cell("-"); }

Cell percent_text(std::optional<double> share) { return cell_of(share, text::percent_text); }

Cell change(std::optional<double> relative) {
  return cell_of(relative, [](double by) { return text::signed_percent(by) + " %"; });
}

std::string doubts_line(const Answer& answer) {
  constexpr std::size_t kShown = 3;
  if (answer.doubts.empty()) return {};
  const std::size_t shown = std::min(answer.doubts.size(), kShown);
  const std::size_t more = answer.doubts.size() - shown;
  return "doubts: " + text::join(std::span(answer.doubts).first(shown), "; ") +
         (more == 0 ? "" : "; " + std::to_string(more) + " more below");
}

void add_doubts(Answer& answer, const std::vector<Paragraph>& paragraphs) {
  for (const Paragraph& paragraph : paragraphs) {
    if (paragraph.doubt.empty()) continue;
    if (std::ranges::find(answer.doubts, paragraph.doubt) != answer.doubts.end()) continue;
    answer.doubts.push_back(paragraph.doubt);
  }
}

std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines, Tone tone) {
  std::vector<Paragraph> paragraphs;
  for (const std::string& line : lines) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (begin > 0 && !paragraphs.empty()) {
      paragraphs.back().below.emplace_back(line.substr(begin));
    } else {
      paragraphs.push_back({.text = line, .tone = tone});
    }
  }
  return paragraphs;
}

std::vector<std::string> lines_of(const std::vector<Paragraph>& paragraphs) {
  std::vector<std::string> lines;
  for (const Paragraph& paragraph : paragraphs) {
    lines.push_back(paragraph.text);
    for (const Line& line : paragraph.below) lines.push_back("  " + line.text);
  }
  return lines;
}

void add_paragraphs(std::vector<Block>& blocks, const std::vector<std::string>& lines, Tone tone) {
  std::ranges::move(paragraphs_of(lines, tone), std::back_inserter(blocks));
}

void drop_if_empty(Table& table, std::size_t column) {
  const auto is_empty = [&](const TableRow& row) {
    return column >= row.cells.size() || row.cells[column].text.empty();
  };
  if (!std::ranges::all_of(table.rows, is_empty)) return;
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (TableRow& row : table.rows) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

}  // namespace stepbench::document
