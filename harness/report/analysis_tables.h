// SPDX-License-Identifier: Apache-2.0
// The tables behind what is said of a trace. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

// Tables of all that is known beside the step's time, then what is not, with the reason.
// `row_limit`: rows of each table, 0: all.
[[nodiscard]] std::vector<document::Block> analysis_tables(const AnalysedTrace& analysed,
                                                           std::size_t row_limit);
// As TensorBoard's plug-in, Holistic Trace Analysis and TraceLens count, and where these differ
// from themselves.
[[nodiscard]] std::vector<document::Block> tensorboard_blocks(const AnalysedTrace& analysed);
[[nodiscard]] std::vector<document::Block> holistic_blocks(const AnalysedTrace& analysed);
[[nodiscard]] std::vector<document::Block> timeline_blocks(const AnalysedTrace& analysed);

// How well operators use the device.
[[nodiscard]] std::vector<document::Block> efficiency_blocks(const AnalysedTrace& analysed,
                                                             std::size_t row_limit);

// What was exchanged with other ranks, of one rank and of all together.
[[nodiscard]] std::vector<document::Block> collective_blocks(const AnalysedTrace& analysed,
                                                             std::size_t row_limit);
[[nodiscard]] std::vector<document::Block> matched_collective_blocks(
    const std::vector<analyze::MatchedCollectives>& sizes, std::size_t row_limit);

// What a step waits for, and what it would take if a kind of work were free.
[[nodiscard]] std::vector<document::Block> critical_path_blocks(const AnalysedTrace& analysed,
                                                                const analyze::CriticalPath& path,
                                                                std::size_t row_limit);

// Which operators launched which kernels, and kernels that follow each other again and again.
[[nodiscard]] std::vector<document::Block> kernel_tree_blocks(const AnalysedTrace& analysed,
                                                              const analyze::KernelTree& tree,
                                                              std::size_t row_limit);

// Below a table that shows not all rows.
void note_cut(std::size_t rows, std::size_t limit, std::vector<document::Block>& blocks);
[[nodiscard]] std::size_t limited(std::size_t rows, std::size_t limit);
// "-" of kNoIndex, else in short.
[[nodiscard]] std::string name_in(const AnalysedTrace& analysed, std::uint32_t name);

}  // namespace stepbench::report
