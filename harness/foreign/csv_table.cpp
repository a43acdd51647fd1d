// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "harness/base/error.h"
#include "harness/foreign/table.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed_cell(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r')) {
    cell.remove_suffix(1);
  }
  return cell;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

char separator_of(std::string_view head) {
  char best = ',';
  for (const char each : {';', '\t'}) {
    if (std::count(head.begin(), head.end(), each) > std::count(head.begin(), head.end(), best)) {
      best = each;
    }
  }
  return best;
}

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    separator_ = separator_of(rest_.substr(0, rest_.find('\n')));
  }

  [[nodiscard]] std::string where() const { return file_ + ':' + std::to_string(line_); }

  // Of the next line that is not empty; none: the end.
  std::vector<std::string> next() {
    while (!rest_.empty()) {
      line_ = next_line_;
      std::vector<std::string> cells = take_line();
      if (cells.size() > 1 || !cells.front().empty()) return cells;
    }
    return {};
  }

 private:
  std::vector<std::string> take_line() {
    std::vector<std::string> cells;
    for (;;) {
      bool quoted = false;
      cells.push_back(take_cell(quoted));
      if (rest_.empty()) return cells;
      const char end = rest_.front();
      rest_.remove_prefix(1);
      if (end == '\n') {
        ++next_line_;
        return cells;
      }
    }
  }

  std::string take_cell(bool& quoted) {
    quoted = rest_.starts_with('"');
    if (quoted) return take_quoted();
    const std::size_t end =
        std::min(rest_.size(), rest_.find_first_of(std::string{separator_, '\n'}));
    std::string cell(trimmed_cell(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    return cell;
  }

  std::string take_quoted() {
    std::string cell;
    rest_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        throw ConfigError(where(), "a quotation mark that opens a cell is never closed");
      }
      const std::string_view part = rest_.substr(0, quote);
      next_line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      cell += part;
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      cell += '"';
      rest_.remove_prefix(1);
    }
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() != separator_ && rest_.front() != '\n') {
      throw ConfigError(where(), "text stands behind the quotation mark that closes a cell");
    }
    return cell;
  }

  std::string_view rest_;
  std::string file_;
  char separator_ = ',';
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace

std::size_t ForeignTable::column(std::string_view name, std::string_view option) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  throw ConfigError(std::string(option), where + " has no column '" +
                                             text::printable(std::string(name)) + "'" +
                                             text::did_you_mean(name, columns) + "; there are " +
                                             text::printable(text::join(columns)));
}

std::optional<std::size_t> ForeignTable::find(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (lower_case(columns[i]) == name) return i;
    }
  }
  return std::nullopt;
}

ForeignTable csv_table(std::string_view text, const std::string& file) {
  CsvReader reader(text, file);
  ForeignTable table;
  table.columns = reader.next();
  table.where = reader.where();
  if (table.columns.empty()) throw ConfigError(file, "is empty: its first line names the columns");
  for (std::vector<std::string> cells = reader.next(); !cells.empty(); cells = reader.next()) {
    if (cells.size() != table.columns.size()) {
      throw ConfigError(reader.where(), "has " + text::counted(std::ssize(cells), "cell") +
                                            ", and the head (" + table.where + ") has " +
                                            std::to_string(table.columns.size()));
    }
    table.rows.push_back({reader.where(), std::move(cells)});
  }
  return table;
}

std::optional<double> cell_number(std::string_view cell) {
  double number = 0;
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

bool is_gap(std::string_view cell) {
  constexpr std::array<std::string_view, 7> kGaps = {"", "-", "nan", "null", "none", "na", "n/a"};
  const std::string lower = lower_case(cell);
  return std::find(kGaps.begin(), kGaps.end(), lower) != kGaps.end();
}

}  // namespace stepbench::foreign
