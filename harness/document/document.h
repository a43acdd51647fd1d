// SPDX-License-Identifier: Apache-2.0
// A report as values: built once, then rendered for a terminal, as Markdown or as HTML (render.h).
// All text is untrusted plain text; the renderers escape it. Pure; any thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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
template <std::integral Count>
[[nodiscard]] Cell count(Count value) {
  return count(static_cast<std::int64_t>(value));
}
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

// The parts of a document.

struct Line {
  Line(std::string words, bool is_command = false)  // NOLINT: words are a line
      : text(std::move(words)), command(is_command) {}
  Line(const char* words) : text(words) {}  // NOLINT: words are a line

  std::string text;
  bool command = false;   // meant to be copied: a terminal does not wrap it
  std::string link = {};  // as Cell::link; a terminal prints it after the text
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
  std::vector<Line> below = {};  // indented lines under it
  // A doubt about the answer, in few words with its size: "waited 62 % of its time for a CPU".
  // Empty if none.
  std::string doubt = {};
};

// The result in one line. Every format shows it first, followed by the doubts in one line.
struct Answer {
  std::string text = {};  // empty if there is none
  Tone tone = Tone::kPlain;
  std::vector<std::string> doubts = {};  // collected from the paragraphs
};

// Heads the blocks that follow. Without a title: a gap.
struct Heading {
  std::string title = {};
  std::string subtitle = {};  // applies to all of them: "window host_step"
};

// Preformatted text: a command, a YAML file, the output of a worker.
struct Verbatim {
  std::string title;
  std::string text;
  bool folded = false;
};

// A chart, with words for formats without scripts. Below its title, a page links it to the next
// table of the chapter.
struct Figure {
  std::string title;
  std::string alt;  // description and main result, for readers who cannot see it
  // Chart in characters; a terminal and Markdown show it in place of `alt`. Empty: `alt`.
  std::string in_text = {};
  // {"chart":"heat",…}: names the function of the page's script and holds its data. See JsonText.
  std::string json;
  std::string note = {};  // what was thinned out or omitted; empty if nothing
  bool folded = false;    // drawn when the reader opens it
};

// Tables without rows are omitted, with their titles.
using Block = std::variant<Paragraph, Heading, Table, Verbatim, Figure>;

// An entry in a page's table of contents. A terminal and Markdown show only the blocks.
struct Chapter {
  std::string id;     // link target: "sweep"; unique in a page
  std::string title;  // "Sweep"
  std::vector<Block> blocks;
  bool folded = false;  // collapsed until the reader opens it
  // Number of measured steps that its figures draw; 0 if they draw no steps.
  std::int64_t steps_drawn = 0;
};

struct Document {
  std::string headline = {};
  Answer answer = {};
  std::vector<Chapter> chapters = {};
  bool answer_once = false;  // a terminal does not repeat it at the end of a long page
  // Option that shows the columns that a terminal is too narrow for: "--format markdown".
  std::string all_columns_in = {};
  // Hidden text in Markdown by which a bot finds its own comment again: "stepbench-verdict".
  std::string marker = "stepbench";
};

// "doubts: waited 62 % of its time for a CPU; 2 of 24 launches failed"; empty if there are none.
[[nodiscard]] std::string doubts_line(const Answer& answer);
// Adds the paragraphs' doubts in order, without duplicates.
void add_doubts(Answer& answer, const std::vector<Paragraph>& paragraphs);

// Converts lines to paragraphs: a line that begins with a blank goes below the paragraph before it.
[[nodiscard]] std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines,
                                                   Tone tone = Tone::kPlain);
// Inverse of paragraphs_of(), for JSON: lines below a paragraph begin with two blanks.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<Paragraph>& paragraphs);
void add_paragraphs(std::vector<Block>& blocks, const std::vector<std::string>& lines,
                    Tone tone = Tone::kPlain);

// A table as a list of columns over rows: a column has its head and its cell of a row, and both are
// left out together.

template <typename Row>
struct Projected {
  Column column;
  std::function<Cell(const Row&)> cell;
  bool shown = true;
  bool if_filled = false;  // left out if all its cells are empty
};

template <typename Row>
[[nodiscard]] Table project(
    std::span<const Row> rows, std::vector<Projected<Row>> columns,
    const std::function<Tone(const std::type_identity_t<Row>&)>& tone = {}) {
  std::erase_if(columns, [&](const Projected<Row>& each) {
    return !each.shown || (each.if_filled && std::ranges::all_of(rows, [&](const Row& row) {
                             return each.cell(row).text.empty();
                           }));
  });
  Table table;
  for (const Projected<Row>& each : columns) table.columns.push_back(each.column);
  for (const Row& row : rows) {
    TableRow& made = table.rows.emplace_back();
    if (tone) made.tone = tone(row);
    for (const Projected<Row>& each : columns) made.cells.push_back(each.cell(row));
  }
  return table;
}

}  // namespace stepbench::document
