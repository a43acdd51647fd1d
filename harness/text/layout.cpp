// SPDX-License-Identifier: Apache-2.0
#include "harness/text/layout.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace stepbench::cli {
namespace {

// Code points, which is columns for the characters we print.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_number(const std::string& text) {
  return text.empty() || text == "-" ||
         (std::isdigit(static_cast<unsigned char>(text.back())) != 0 &&
          text.find_first_not_of("0123456789.-+e") == std::string::npos);
}

}  // namespace

std::string align(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, true);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width_of(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) right[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? padding + row[c] : row[c] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  const std::string margin(indent, ' ');
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) result += margin + line + "\n";
  return result;
}

std::string counted(std::int64_t count, const std::string& noun) {
  std::string digits = std::to_string(count);
  for (auto i = static_cast<std::int64_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits + " " + noun + (count == 1 ? "" : noun == "launch" ? "es" : "s");
}

}  // namespace stepbench::cli
