// SPDX-License-Identifier: Apache-2.0
// What a page of the report consists of, as values: each capability makes its sections from what it
// knows, and page.h alone turns them into HTML. All text is plain text, of any origin; the page
// escapes it. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stepbench::report {

// A drawing as Plotly takes it, and the words that stand in for it. Below its section's heading the
// page links it to the next table of the section.
struct Figure {
  std::string title;
  std::string alt;  // what it shows and what stands out, for whoever does not see it
  // {"data":[…],"layout":{…}}, by JsonText; texts are escaped for Plotly. The page adds the colours
  // of text, paper and axes by the reader's theme.
  std::string json;
  std::string note = {};  // what was thinned out or left out; empty: nothing was
  int height_px = 420;
  bool folded = false;  // drawn when the reader opens it
  // The same cases by another number: figures that follow each other and have a choice share one
  // place, and the reader switches between them by these words ("step", "samples/s"), by keyboard
  // too. Without a script all of them stand there.
  std::string choice = {};
};

enum class Tone : std::uint8_t { kPlain, kGood, kDoubt, kBad };

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
};

// What stands in preformatted type: a command, a YAML file, what a worker printed.
struct Verbatim {
  std::string title;
  std::string text;
  bool folded = false;
};

struct PageColumn {
  std::string head;  // with its unit: "step (ms)"
  bool number = false;
};

struct PageCell {
  std::string text;
  std::optional<double> value = {};  // what a column of numbers is sorted by
};

struct PageTable {
  std::string title;
  std::vector<PageColumn> columns;
  std::vector<std::vector<PageCell>> rows;  // as many cells as columns
  std::vector<Tone> tones = {};             // of the rows; empty: all are plain
};

using Block = std::variant<Paragraph, Figure, PageTable, Verbatim>;

struct PageSection {
  std::string id;     // of the link to it: "sweep"; unique in a page
  std::string title;  // "Sweep"
  std::vector<Block> blocks;
  // Of the steps that were measured, how many its figures draw; 0: it draws none.
  std::int64_t steps_drawn = 0;
};

// What every section that draws is told.
struct DrawOptions {
  std::size_t points = 5000;  // at most so many steps are drawn in one figure
  // How the reader sees the cases again; " --case ID" follows. With the files that were given.
  std::string show_command = "stepbench show RUN";
};

}  // namespace stepbench::report
