// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::document {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kEnd = "\x1b[0m";
// After more lines than this the answer is repeated at the end, next to the prompt.
constexpr std::ptrdiff_t kLongPageLines = 48;

class TextPage {
 public:
  TextPage(std::size_t columns, bool colour, const std::string& all_columns_in)
      : columns_(columns), colour_(colour), all_columns_in_(all_columns_in) {}

  void line(const std::string& words, Tone tone = Tone::kPlain) {
    text_ += tinted(text::wrap_hanging(text::printable(words), columns_), tone, colour_) + '\n';
  }

  void add(const Answer& answer, bool doubts) {
    if (answer.text.empty()) return;
    gap();
    line(answer.text, answer.tone);
    if (const std::string words = doubts_line(answer); doubts && !words.empty()) {
      line(words, Tone::kDoubt);
    }
    gap();
  }

  void gap() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
  }

  void add(const Paragraph& paragraph) {
    line(paragraph.text, paragraph.tone);
    for (const Line& each : paragraph.below) {
      if (each.command) {
        text_ += "  " + text::printable(each.text) + '\n';
      } else {
        line("  " + each.text + (each.link.empty() ? "" : ' ' + each.link));
      }
    }
  }

  void add(const Heading& heading) {
    gap();
    if (heading.title.empty()) return;
    if (colour_) text_ += kBold;
    line(heading.title + (heading.subtitle.empty() ? "" : "; " + heading.subtitle));
    if (colour_) text_.insert(text_.size() - 1, kEnd);
  }

  void add(Table&& table) {
    if (table.rows.empty()) return;
    add(Heading{.title = table.title, .subtitle = table.subtitle});
    const DrawnTable drawn = draw(std::move(table), columns_, colour_);
    text_ += drawn.text;
    if (drawn.dropped.empty()) return;
    line(formatted("columns left out: {} (a wider terminal {}has them)", text::join(drawn.dropped),
                   all_columns_in_.empty() ? "" : "or " + all_columns_in_ + ' '));
  }

  void add(const Verbatim& verbatim) {
    add(Heading{.title = verbatim.title});
    std::string text = text::printable(verbatim.text, text::LineEnds::kKeep);
    while (text.ends_with('\n')) text.pop_back();
    text_ += "  ";
    for (const char c : text) {
      text_ += c;
      if (c == '\n') text_ += "  ";
    }
    text_ += '\n';
  }

  void add(const Figure& figure) {
    if (!figure.in_text.empty()) {
      gap();
      text_ += text::printable(figure.in_text, text::LineEnds::kKeep);
      return;
    }
    add(Heading{.title = figure.title});
    line(figure.alt);
  }

  [[nodiscard]] std::ptrdiff_t lines() const { return std::ranges::count(text_, '\n'); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::size_t columns_;
  bool colour_;
  const std::string& all_columns_in_;
  std::string text_;
};

constexpr EnumNames<5> kEscapes = {"\x1b[2m", "", "\x1b[32m", "\x1b[33m", "\x1b[31m"};  // by Tone

}  // namespace

std::string tinted(std::string text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return text;
  return std::string(kEscapes[static_cast<std::size_t>(tone)]) + std::move(text) +
         std::string(kEnd);
}

std::string render_text(Document document, std::size_t columns, bool colour) {
  TextPage page(columns, colour, document.all_columns_in);
  page.add(document.answer, true);
  if (!document.headline.empty()) page.line(document.headline);
  for (Chapter& chapter : document.chapters) {
    if (!chapter.blocks.empty() && &chapter != &document.chapters.front()) page.gap();
    for (Block& block : chapter.blocks) {
      std::visit([&](auto& each) { page.add(std::move(each)); }, block);
    }
  }
  if (page.lines() > kLongPageLines && !document.answer_once) page.add(document.answer, false);
  std::string text = page.take();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

namespace {

constexpr std::size_t kGap = 2;

std::size_t column_width(const Table& table, std::size_t column) {
  std::size_t widest = text::width(table.columns[column].head);
  for (const TableRow& row : table.rows) {
    if (column < row.cells.size()) widest = std::max(widest, text::width(row.cells[column].text));
  }
  return widest;
}

// Width of each column of a table; 0: the column is dropped.
class Layout {
 public:
  explicit Layout(const Table& table) : table_(table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      whole_.push_back(column_width(table, i));
    }
    width_ = whole_;
    shown_.assign(width_.size(), true);
  }

  void fit(std::size_t columns) {
    while (total() > columns && narrow(total() - columns)) {
    }
    if (total() < columns) give_back(columns);
  }

  [[nodiscard]] bool shows(std::size_t column) const { return shown_[column]; }
  [[nodiscard]] bool is_cut(std::size_t column) const { return width_[column] < whole_[column]; }
  [[nodiscard]] std::size_t width(std::size_t column) const { return width_[column]; }

 private:
  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < width_.size(); ++i) {
      if (shown_[i]) sum += width_[i] + (sum == 0 ? 0 : kGap);
    }
    return sum;
  }

  [[nodiscard]] bool can_shrink(std::size_t column) const {
    return table_.columns[column].shrink_at > 0 &&
           width_[column] > table_.columns[column].shrink_to;
  }

  // Applies the next drop or shrink step. Returns false if none is left.
  bool narrow(std::size_t excess) {
    constexpr int kNever = std::numeric_limits<int>::max();
    int first = kNever;
    std::size_t column = 0;
    bool cut = false;
    for (std::size_t i = 0; i < width_.size(); ++i) {
      const Column& each = table_.columns[i];
      if (!shown_[i]) continue;
      if (can_shrink(i) && each.shrink_at < first) {
        first = each.shrink_at;
        column = i;
        cut = true;
      }
      if (each.drop_at > 0 && each.drop_at < first) {
        first = each.drop_at;
        column = i;
        cut = false;
      }
    }
    if (first == kNever) return false;
    if (cut) {
      width_[column] -= std::min(excess, width_[column] - table_.columns[column].shrink_to);
    } else {
      shown_[column] = false;
    }
    return true;
  }

  // Uses the room that the last steps freed: widens cut columns first, then restores dropped ones.
  void give_back(std::size_t columns) {
    for (std::size_t i = 0; i < width_.size(); ++i) {
      if (shown_[i]) width_[i] += std::min(columns - total(), whole_[i] - width_[i]);
    }
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < width_.size(); ++i) {
      if (!shown_[i]) hidden.push_back(i);
    }
    std::ranges::stable_sort(hidden, [&](std::size_t a, std::size_t b) {
      return table_.columns[a].drop_at > table_.columns[b].drop_at;
    });
    for (const std::size_t i : hidden) {
      shown_[i] = total() + kGap + whole_[i] <= columns;
      if (shown_[i]) width_[i] = whole_[i];
    }
  }

  const Table& table_;
  std::vector<std::size_t> whole_;
  std::vector<std::size_t> width_;
  std::vector<bool> shown_;
};

// Cuts as the column asks for, at the end or in the middle, unless different cells would then look
// alike: then keeps the part in which they differ.
std::vector<std::string> cut_cells(const Table& table, std::size_t column, std::size_t cells) {
  std::vector<std::string> whole;
  for (const TableRow& row : table.rows) {
    whole.push_back(column < row.cells.size() ? row.cells[column].text : "");
  }
  using Cut = std::string (*)(std::string_view, std::size_t);
  const bool inside = table.columns[column].shrink_inside;
  std::vector<std::string> best;
  std::size_t most = 0;
  for (const Cut cut : {inside ? Cut(text::shortened_inside) : Cut(text::shortened),
                        Cut(text::shortened_inside), Cut(text::shortened_to_end)}) {
    std::vector<std::string> made;
    for (const std::string& text : whole) made.push_back(cut(text, cells));
    const std::size_t different = std::set<std::string>(made.begin(), made.end()).size();
    if (different > most) best = std::move(made);
    most = std::max(most, different);
  }
  text::keep_apart(whole, cells, best);
  return best;
}

// Splits the cell into lines at blanks.
std::vector<std::string> wrapped_cell(const std::string& text, std::size_t cells) {
  std::istringstream wrapped(text::wrap(text, cells, 0));
  std::vector<std::string> lines;
  for (std::string line; std::getline(wrapped, line);) lines.push_back(std::move(line));
  if (lines.empty()) lines.emplace_back();
  return lines;
}

// Applies the layout. Adds the heads of dropped columns to `dropped`, in drop order.
Table laid_out(Table&& table, const Layout& layout, std::vector<std::string>& dropped) {
  Table made;
  std::vector<std::size_t> hidden;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!layout.shows(i)) {
      if (!table.columns[i].head.empty()) hidden.push_back(i);
      continue;
    }
    Column& head = made.columns.emplace_back(table.columns[i]);
    if (layout.is_cut(i)) head.head = text::shortened(head.head, layout.width(i));
  }
  std::ranges::stable_sort(hidden, [&](std::size_t a, std::size_t b) {
    return table.columns[a].drop_at < table.columns[b].drop_at;
  });
  for (const std::size_t i : hidden) dropped.push_back(table.columns[i].head);
  std::vector<std::vector<std::string>> cut(table.columns.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    if (layout.shows(i) && layout.is_cut(i) && !table.columns[i].wraps)
      cut[i] = cut_cells(table, i, layout.width(i));
  }
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    TableRow& row = table.rows[at];
    std::vector<Cell> cells = std::move(row.cells);  // freed row by row: tables can be large
    TableRow line{.cells = {}, .tone = row.tone, .instead = std::move(row.instead)};
    line.cells.reserve(made.columns.size());
    std::vector<std::vector<Cell>> more;  // lines below it
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!layout.shows(i)) continue;
      line.cells.push_back(cut[i].empty() ? std::move(cells[i]) : Cell(cut[i][at]));
      if (!layout.is_cut(i) || !table.columns[i].wraps) continue;
      const auto lines = wrapped_cell(line.cells.back().text, layout.width(i));
      line.cells.back() = lines.front();
      for (std::size_t next = 1; next < lines.size(); ++next) {
        if (more.size() < next) more.emplace_back();
        more[next - 1].resize(line.cells.size(), Cell(""));
        more[next - 1].back() = lines[next];
      }
    }
    made.rows.push_back(std::move(line));
    for (std::vector<Cell>& below : more) {
      made.rows.push_back({.cells = std::move(below), .tone = row.tone});
    }
  }
  return made;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) widths.push_back(column_width(table, i));
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         kGap * (widths.empty() ? 0 : widths.size() - 1);
}

std::string padded(const std::string& words, std::size_t cells, bool left) {
  const std::string blanks(cells - std::min(cells, text::width(words)), ' ');
  return left ? words + blanks : blanks + words;
}

std::string line_of(const Table& table, const std::vector<Cell>& cells,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    line += padded(cells[i].text, widths[i], table.columns[i].left);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::vector<Cell> heads_of(const Table& table) {
  std::vector<Cell> heads;
  for (const Column& column : table.columns) heads.emplace_back(column.head);
  return heads;
}

void make_printable(Table& table) {
  for (Column& column : table.columns) {
    column.head = text::printable(column.full_head());
    column.unit.clear();
  }
  for (TableRow& row : table.rows) {
    for (Cell& cell : row.cells) cell.text = text::printable(cell.text);
    row.instead = text::printable(row.instead);
  }
}

bool is_number(const std::string& text) {
  return text.empty() || text == "-" ||
         (std::isdigit(static_cast<unsigned char>(text.back())) != 0 &&
          text.find_first_not_of("0123456789.,-+e") == std::string::npos);
}

}  // namespace

DrawnTable draw(Table table, std::size_t columns, bool colour) {
  DrawnTable drawn;
  make_printable(table);
  Layout layout(table);
  layout.fit(columns);
  table = laid_out(std::move(table), layout, drawn.dropped);
  const std::vector<std::size_t> widths = widths_of(table);
  const std::vector<Cell> heads = heads_of(table);
  const bool headless = std::ranges::all_of(heads, &std::string::empty, &Cell::text);
  if (!headless) {
    drawn.text = line_of(table, heads, widths) + '\n';
    for (std::size_t i = 0; i < total_width(widths); ++i) drawn.text += "─";
    drawn.text += '\n';
  }
  for (const TableRow& row : table.rows) {
    std::string line = line_of(table, row.cells, widths);
    if (!row.instead.empty()) {
      std::size_t start = 0;
      for (std::size_t i = 0; i < row.cells.size(); ++i) start += widths[i] + kGap;
      line.append(start - std::min(start, text::width(line)), ' ');
      line += text::shortened(row.instead, columns - std::min(columns, start));
    }
    drawn.text += tinted(line, row.tone, colour) + '\n';
  }
  return drawn;
}

std::string align(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  Table table;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const bool numbers = std::all_of(rows.begin() + 1, rows.end(),
                                     [&](const auto& row) { return is_number(row[i]); });
    table.columns.push_back({.head = rows.front()[i], .left = !numbers});
  }
  for (const auto& row : std::span(rows).subspan(1)) {
    table.rows.push_back({.cells = {row.begin(), row.end()}});
  }
  make_printable(table);
  const std::vector<std::size_t> widths = widths_of(table);
  std::string text = line_of(table, heads_of(table), widths) + '\n';
  for (const TableRow& row : table.rows) text += line_of(table, row.cells, widths) + '\n';
  return text;
}

std::string bar(double share, std::size_t cells) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto eighths =
      static_cast<std::size_t>(std::lround(clamped * static_cast<double>(cells) * 8));
  std::string drawn;
  for (std::size_t i = 0; i < eighths / 8; ++i) drawn += "█";
  return drawn + std::string(kParts.at(eighths % 8));
}

}  // namespace stepbench::document
