// SPDX-License-Identifier: Apache-2.0
// What is said of a result, as values: made once, then drawn for a terminal (render_text.h), as
// Markdown (render_markdown.h) or as HTML (render_html.h). All text is plain text, of any origin;
// who draws it makes it safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/document/table.h"
#include "harness/document/tone.h"

namespace stepbench::document {

struct Line {
  Line(std::string words, bool is_command = false)  // NOLINT: words are a line
      : text(std::move(words)), command(is_command) {}
  Line(const char* words) : text(words) {}  // NOLINT: words are a line

  std::string text;
  bool command = false;   // to be copied: stands whole on a terminal
  std::string link = {};  // where the words lead, as Cell::link; a terminal shows it behind them
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
  std::vector<Line> below = {};  // what belongs to it
  // What it says against the answer, in few words with their size: "waited 62 % of its time for a
  // CPU". Empty: nothing.
  std::string doubt = {};
};

// What the reader came for, in one line. Every form shows it first, the doubts in one line below.
struct Answer {
  std::string text = {};  // empty: there is none
  Tone tone = Tone::kPlain;
  std::vector<std::string> doubts = {};  // those of the paragraphs
};

// Above what follows. Without a title: a gap.
struct Heading {
  std::string title = {};
  std::string aside = {};  // for what it holds: "window host_step"
};

// What stands in preformatted type: a command, a YAML file, what a worker printed.
struct Verbatim {
  std::string title;
  std::string text;
  bool folded = false;
};

// A chart, and the words that stand in for it everywhere but on a page with a script. Below its
// chapter's title a page links it to the next table of the chapter.
struct Figure {
  std::string title;
  std::string alt;  // what it shows and what stands out, for whoever does not see it
  // Drawn in characters: a terminal and Markdown show it in place of the words. Empty: the words.
  std::string in_text = {};
  // {"chart":"heat",…}: which function of the page's script draws it, and of what. By JsonText.
  std::string json;
  std::string note = {};  // what was thinned out or left out; empty: nothing was
  int height_px = 420;
  bool folded = false;  // drawn when the reader opens it
  // The same cases by another number: figures that follow each other and have a choice share one
  // place, and the reader switches between them by these words ("step", "samples/s"), by keyboard
  // too. Without a script all of them stand there.
  std::string choice = {};
};

// A table without rows is left out, with its title.
using Block = std::variant<Paragraph, Heading, Table, Verbatim, Figure>;

// What a page's contents list. A terminal and Markdown show the blocks alone.
struct Chapter {
  std::string id;     // of the link to it: "sweep"; unique in a page
  std::string title;  // "Sweep"
  std::vector<Block> blocks;
  bool folded = false;  // a page shows its title until the reader opens it
  // Of the steps that were measured, how many its figures draw; 0: it draws none.
  std::int64_t steps_drawn = 0;
};

struct Document {
  std::string headline = {};
  Answer answer = {};
  std::vector<Chapter> chapters = {};
  bool answer_once = false;  // a terminal does not repeat it below a long page
  // What has the columns that a terminal has no room for: "--format markdown".
  std::string all_columns_in = {};
  // Hidden in Markdown, by which a bot finds its own comment again: "stepbench-verdict".
  std::string marker = "stepbench";
};

// "doubts: waited 62 % of its time for a CPU; 2 of 24 launches failed"; empty without any.
[[nodiscard]] std::string doubts_line(const Answer& answer);
// Each doubt once, in their order.
void add_doubts(Answer& answer, const std::vector<Paragraph>& paragraphs);

// Lines as paragraphs: one that begins with a blank belongs to the one above.
[[nodiscard]] std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines,
                                                   Tone tone = Tone::kPlain);
// The other way round, for JSON: what is below begins with two blanks.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<Paragraph>& paragraphs);
void add_paragraphs(std::vector<Block>& blocks, const std::vector<std::string>& lines,
                    Tone tone = Tone::kPlain);

}  // namespace stepbench::document
