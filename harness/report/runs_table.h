// SPDX-License-Identifier: Apache-2.0
// A list of runs: table, CSV, JSON, Markdown. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/report/case_table.h"
#include "harness/runs/run_summary.h"

namespace stepbench::report {

inline constexpr std::string_view kRunsSchema = "stepbench.runs";
inline constexpr std::string_view kRunsVersion = "1.0.0";

// Kind of run: "run", "smoke run", "run + profile", "ab: regression", "ab".
[[nodiscard]] std::string kind_words(const runs::RunSummary& run);

// In the order of `runs`. `now`: reference for ages in the table and in Markdown. `all`: number of
// runs before selection.
[[nodiscard]] std::string render_runs(std::span<const runs::RunSummary> runs, std::size_t all,
                                      Format format, const TableStyle& style, runs::Moment now);

}  // namespace stepbench::report
