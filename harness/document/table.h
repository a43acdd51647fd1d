// SPDX-License-Identifier: Apache-2.0
// A table as values: columns with rules for narrow terminals, and rows of cells, each with a text,
// a tone and, if it is a number, its value. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/text/numbers.h"

namespace stepbench::document {

// Tones: the meaning of a fact, shown as its colour on a terminal, and as its mark and
// screen-reader text on a page.

// In ascending order of urgency.
enum class Tone : std::uint8_t { kDim, kPlain, kGood, kDoubt, kBad };
// CSS classes; nothing for plain text.
constexpr EnumNames<5> names_of(Tone) { return {"dim", "", "good", "doubt", "bad"}; }

// When a table is too wide for a terminal, columns are dropped and shrunk in ascending order of
// `drop_at` and `shrink_at`.
struct Column {
  std::string head;
  bool left = false;  // left-aligned, for words; numbers are right-aligned
  std::string unit = {};
  int drop_at = 0;    // when the column is dropped; 0: never
  int shrink_at = 0;  // when its cells are cut, to no less than `shrink_to`; 0: never
  std::size_t shrink_to = 8;
  bool shrink_inside = false;  // cut the middle, for cells that differ at their ends
  bool wraps = false;          // continue on further lines, for sentences that must not be cut

  // "step [ms]"
  [[nodiscard]] std::string full_head() const {
    return unit.empty() ? head : head + " [" + unit + ']';
  }
};

[[nodiscard]] inline Column words(std::string head) {
  return {.head = std::move(head), .left = true};
}

struct Cell {
  Cell(std::string words, std::optional<double> number = {})  // NOLINT: words are a cell
      : text(std::move(words)), value(number) {}
  Cell(const char* words) : text(words) {}       // NOLINT: words are a cell
  Cell(std::string_view words) : text(words) {}  // NOLINT: words are a cell

  std::string text;
  std::optional<double> value = {};  // sort key, in one unit for the whole column
  // Link target: a web address or the name of a page in the same folder.
  std::string link = {};
};

struct TableRow {
  std::vector<Cell> cells;  // one per column; or fewer, followed by `instead`
  Tone tone = Tone::kPlain;
  std::string instead = {};
};

struct Table {
  std::string title = {};
  std::string subtitle = {};  // "window host_step"
  std::vector<Column> columns = {};
  std::vector<TableRow> rows = {};
};

// Removes the column if all its cells are empty.
void drop_if_empty(Table& table, std::size_t column);

// Numbers as cells: formatted by harness/text/numbers.h, with a value to sort by. A missing number
// or one that is not finite is "-".

[[nodiscard]] inline Cell linked(Cell cell, std::string link) {
  cell.link = std::move(link);
  return cell;
}
// In the unit of its column: "12.3".
[[nodiscard]] Cell number(std::optional<double> value);
// At most `decimals`: "12.25".
[[nodiscard]] Cell short_number(std::optional<double> value, int decimals = 1);
// "12,345"
[[nodiscard]] Cell count(std::int64_t value);
// `ns` in the column's unit; "<0.001" if it is too small for that unit.
[[nodiscard]] Cell time(std::optional<double> ns, const text::TimeUnit& unit);
// A part of `whole_ns`, as time(), but with no digit below the fourth of the whole: "0.01" next to
// 10.0, and "<0.01" if it is smaller.
[[nodiscard]] Cell part_of_time(double ns, const text::TimeUnit& unit, double whole_ns);
// With a unit: "12.3 ms", "+12.3 ms".
[[nodiscard]] Cell duration(std::optional<double> ns);
[[nodiscard]] Cell signed_duration(std::optional<double> ns);
[[nodiscard]] Cell bytes(std::optional<double> value);
// For a column in percent: "12.3".
[[nodiscard]] Cell percent(std::optional<double> share);
// `part` of `whole` in percent; "-" if `whole` is 0.
[[nodiscard]] Cell share(double part, double whole);
// "12.3 %"
[[nodiscard]] Cell percent_text(std::optional<double> share);
// "+1.23 %"
[[nodiscard]] Cell change(std::optional<double> relative);

}  // namespace stepbench::document
