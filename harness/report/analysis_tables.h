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

// How well operators use the device.
[[nodiscard]] std::vector<document::Block> efficiency_blocks(const AnalysedTrace& analysed,
                                                             std::size_t row_limit);

// What was exchanged with other ranks, of one rank and of all together.
[[nodiscard]] std::vector<document::Block> collective_blocks(const AnalysedTrace& analysed,
                                                             std::size_t row_limit);
[[nodiscard]] std::vector<document::Block> matched_collective_blocks(
    const std::vector<analyze::MatchedCollectives>& sizes, std::size_t row_limit);

// What a step waits for.
[[nodiscard]] std::vector<document::Block> critical_path_blocks(const AnalysedTrace& analysed,
                                                                const analyze::CriticalPath& path,
                                                                std::size_t row_limit);

// Kernels that follow each other again and again.
[[nodiscard]] std::vector<document::Block> kernel_sequence_blocks(
    const AnalysedTrace& analysed, const std::vector<analyze::KernelSequence>& sequences,
    std::size_t row_limit);

// Below a table that shows not all rows.
void note_cut(std::size_t rows, std::size_t limit, std::vector<document::Block>& blocks);
[[nodiscard]] std::size_t limited(std::size_t rows, std::size_t limit);
// "-" of kNoIndex, else in short.
[[nodiscard]] std::string name_in(const AnalysedTrace& analysed, std::uint32_t name);

}  // namespace stepbench::report
