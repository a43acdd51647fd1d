// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/report/analysis_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

document::Table parts_of_path(const analyze::CriticalPath& path, const text::TimeUnit& unit) {
  const double steps = double(path.steps);
  document::Table table{.title = "critical path: what a step waits for, from its end to its begin",
                        .columns = {document::words("part"),
                                    {.head = "per step", .unit = std::string(unit.name)},
                                    {.head = "share", .unit = "%"}}};
  for (std::size_t i = 0; i < analyze::kPathKinds; ++i) {
    if (path.ns[i] == 0) continue;
    table.rows.push_back({.cells = {words_of_path(static_cast<analyze::PathKind>(i)),
                                    document::time(double(path.ns[i]) / steps, unit),
                                    document::share(double(path.ns[i]), double(path.path_ns))}});
  }
  table.rows.push_back({.cells = {"sum", document::time(double(path.path_ns) / steps, unit),
                                  document::share(1, 1)}});
  return table;
}

document::Table places_of_path(const AnalysedTrace& analysed, const analyze::CriticalPath& path,
                               const text::TimeUnit& unit, std::size_t row_limit) {
  const double steps = double(path.steps);
  document::Table table{
      .title = "longest on the critical path, by name",
      .columns = {
          {.head = "row", .left = true, .shrink_at = 2, .shrink_to = 24, .shrink_inside = true},
          {.head = "part", .left = true, .drop_at = 1},
          {.head = "per step", .unit = std::string(unit.name)},
          {.head = "share", .unit = "%"},
          {.head = "times per step", .drop_at = 2}}};
  for (std::size_t i = 0; i < limited(path.places.size(), row_limit); ++i) {
    const analyze::PathPlace& place = path.places[i];
    table.rows.push_back({.cells = {name_in(analysed, place.name), words_of_path(place.kind),
                                    document::time(double(place.ns) / steps, unit),
                                    document::share(double(place.ns), double(path.path_ns)),
                                    document::short_number(double(place.times) / steps)}});
  }
  return table;
}

}  // namespace

std::vector<document::Block> critical_path_blocks(const AnalysedTrace& analysed,
                                                  const analyze::CriticalPath& path,
                                                  std::size_t row_limit) {
  const text::TimeUnit unit = text::unit_for(std::vector<double>{path.step_ns});
  std::vector<document::Block> blocks = {parts_of_path(path, unit)};
  std::vector<std::string> lines = {"of " + text::counted(path.steps, "step") +
                                    ", from the first to the end of what the last one launched"};
  if (path.guessed_waits > 0) {
    lines.push_back("guessed: " + text::counted(path.guessed_waits, "row") +
                    " waited for one of another stream, which ended just before");
  }
  lines.emplace_back(
      "not known: what kernels and threads that run at once take from each other, and what other "
      "ranks do");
  document::add_paragraphs(blocks, lines);
  blocks.emplace_back(places_of_path(analysed, path, unit, row_limit));
  note_cut(path.places.size(), row_limit, blocks);
  return blocks;
}

}  // namespace stepbench::report
