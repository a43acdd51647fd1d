// SPDX-License-Identifier: Apache-2.0
// A report as values: built once, then rendered for a terminal (render_text.h), as Markdown
// (render_markdown.h) or as HTML (render_html.h). All text is untrusted plain text; the renderers
// escape it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/document/table.h"

namespace stepbench::document {

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

}  // namespace stepbench::document
