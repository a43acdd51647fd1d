// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

  void add(const Table& table) {
    if (table.rows.empty()) return;
    add(Heading{.title = table.title, .subtitle = table.subtitle});
    const DrawnTable drawn = draw(table, columns_, colour_);
    text_ += drawn.text;
    if (drawn.dropped.empty()) return;
    line("columns left out: " + text::join(drawn.dropped) + " (a wider terminal " +
         (all_columns_in_.empty() ? "" : "or " + all_columns_in_ + ' ') + "has them)");
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

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::kDim:
      return "\x1b[2m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kDoubt:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kPlain:
      break;
  }
  return {};
}

}  // namespace

std::string tinted(std::string text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return text;
  return std::string(escape(tone)) + std::move(text) + std::string(kEnd);
}

std::string render_text(const Document& document, std::size_t columns, bool colour) {
  TextPage page(columns, colour, document.all_columns_in);
  page.add(document.answer, true);
  if (!document.headline.empty()) page.line(document.headline);
  for (const Chapter& chapter : document.chapters) {
    if (!chapter.blocks.empty() && &chapter != &document.chapters.front()) page.gap();
    for (const Block& block : chapter.blocks) {
      std::visit([&](const auto& each) { page.add(each); }, block);
    }
  }
  if (page.lines() > kLongPageLines && !document.answer_once) page.add(document.answer, false);
  std::string text = page.take();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace stepbench::document
