// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using Sequences = std::vector<analyze::KernelSequence>;

document::Table sequence_table(const AnalysedTrace& analysed, const Sequences& sequences,
                               double steps, std::size_t row_limit) {
  document::Table table{
      .title = "kernels that follow each other again and again, by the time between them",
      .columns = {
          {.head = "kernels", .left = true, .shrink_at = 1, .shrink_to = 40, .shrink_inside = true},
          {.head = "times", .unit = "per step"},
          {.head = "kernels", .unit = "us per step"},
          {.head = "between", .unit = "us per step"}}};
  for (std::size_t i = 0; i < limited(sequences.size(), row_limit); ++i) {
    const analyze::KernelSequence& sequence = sequences[i];
    const auto words = [&](std::uint32_t name) { return name_in(analysed, name); };
    table.rows.push_back({.cells = {text::join(sequence.names, ", ", words),
                                    document::short_number(double(sequence.times) / steps),
                                    document::number(double(sequence.kernel_ns) / steps / 1e3),
                                    document::number(double(sequence.between_ns) / steps / 1e3)}});
  }
  return table;
}

}  // namespace

std::vector<document::Block> kernel_sequence_blocks(const AnalysedTrace& analysed,
                                                    const Sequences& sequences,
                                                    std::size_t row_limit) {
  if (sequences.empty())
    return {document::Paragraph{"no kernels follow each other again and again"}};
  const double steps = double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()));
  std::vector<document::Block> blocks = {sequence_table(analysed, sequences, steps, row_limit)};
  note_cut(sequences.size(), row_limit, blocks);
  blocks.emplace_back(document::Paragraph{
      "candidates to be fused (torch.compile) or launched as one graph: then the time between them "
      "goes, as far as the device waits in it for launches"});
  return blocks;
}

}  // namespace stepbench::report
