// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

document::Table tree_table(const AnalysedTrace& analysed, const analyze::KernelTree& tree,
                           double steps, std::size_t row_limit) {
  const bool lines = std::any_of(tree.rows.begin(), tree.rows.end(),
                                 [](const auto& row) { return row.line != ops::kNoIndex; });
  std::int64_t total_ns = 0;
  for (const analyze::KernelTreeRow& row : tree.rows) {
    if (row.depth == 0) total_ns += row.device_ns;
  }
  document::Table table{.title = "kernels by the operators that launched them",
                        .columns = {{.head = "operator, and below it what it launched",
                                     .left = true,
                                     .shrink_at = 2,
                                     .shrink_to = 32},
                                    {.head = "launches", .unit = "per step"},
                                    {.head = "device", .unit = "us per step"},
                                    {.head = "share", .unit = "%"}}};
  if (lines) {
    table.columns.push_back(
        {.head = "from line", .left = true, .drop_at = 1, .shrink_inside = true});
  }
  for (std::size_t i = 0; i < limited(tree.rows.size(), row_limit); ++i) {
    const analyze::KernelTreeRow& row = tree.rows[i];
    std::string name(static_cast<std::size_t>(2 * row.depth), ' ');
    name += (row.on_device ? "> " : "") + name_in(analysed, row.name);
    document::TableRow& made = table.rows.emplace_back();
    made.cells = {std::move(name), document::short_number(double(row.launches) / steps),
                  document::number(double(row.device_ns) / steps / 1e3),
                  document::share(double(row.device_ns), double(total_ns))};
    if (lines) {
      made.cells.emplace_back(row.line == ops::kNoIndex ? "" : name_in(analysed, row.line));
    }
  }
  return table;
}

document::Table sequence_table(const AnalysedTrace& analysed, const analyze::KernelTree& tree,
                               double steps, std::size_t row_limit) {
  document::Table table{
      .title = "kernels that follow each other again and again, by the time between them",
      .columns = {
          {.head = "kernels", .left = true, .shrink_at = 1, .shrink_to = 40, .shrink_inside = true},
          {.head = "times", .unit = "per step"},
          {.head = "kernels", .unit = "us per step"},
          {.head = "between", .unit = "us per step"}}};
  for (std::size_t i = 0; i < limited(tree.sequences.size(), row_limit); ++i) {
    const analyze::KernelSequence& sequence = tree.sequences[i];
    const auto words = [&](std::uint32_t name) { return name_in(analysed, name); };
    table.rows.push_back({.cells = {text::join(sequence.names, ", ", words),
                                    document::short_number(double(sequence.times) / steps),
                                    document::number(double(sequence.kernel_ns) / steps / 1e3),
                                    document::number(double(sequence.between_ns) / steps / 1e3)}});
  }
  return table;
}

}  // namespace

std::vector<document::Block> kernel_tree_blocks(const AnalysedTrace& analysed,
                                                const analyze::KernelTree& tree,
                                                std::size_t row_limit) {
  const double steps = double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()));
  // A tree of ten rows is none.
  const std::size_t tree_limit = 4 * row_limit;
  std::vector<document::Block> blocks = {tree_table(analysed, tree, steps, tree_limit)};
  note_cut(tree.rows.size(), tree_limit, blocks);
  if (tree.unlaunched_ns > 0) {
    blocks.emplace_back(document::Paragraph{
        text::duration(double(tree.unlaunched_ns) / steps) +
        " per step of the device are in no row: their launch calls are not in the trace"});
  }
  if (tree.sequences.empty()) return blocks;
  blocks.emplace_back(sequence_table(analysed, tree, steps, row_limit));
  note_cut(tree.sequences.size(), row_limit, blocks);
  blocks.emplace_back(document::Paragraph{
      "candidates to be fused (torch.compile) or launched as one graph: then the time between them "
      "goes, as far as the device waits in it for launches"});
  return blocks;
}

}  // namespace stepbench::report
