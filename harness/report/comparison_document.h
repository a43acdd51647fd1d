// SPDX-License-Identifier: Apache-2.0
// A comparison, or several results against one base, as a document: its verdict in one line, and
// the table of cases and metrics. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/report/internal/comparison_words.h"

namespace stepbench::report {

// Rows with verdict ok are omitted beyond this number of rows, unless all are requested.
inline constexpr std::size_t kMaxOkRows = 30;
inline constexpr std::size_t kMaxRows = 200;  // other rows; the JSON form has all
// A for the base, B, C, ... for the others.
inline constexpr std::size_t kMaxCompared = 26;

// The answer is the verdict. Chapters: how it was measured, cases, causes, remarks, doubts
// (comparison_words.h). `all`: show every row. Several comparisons must have the same base and
// get one column each.
[[nodiscard]] document::Document comparison_document(
    std::span<const compare::Comparison> comparisons, bool all);
// Marker in Markdown by which a bot finds its own comment again.
inline constexpr const char* kVerdictMarker = "stepbench-verdict";
struct MetricRows {
  document::Table table;
  std::size_t hidden_ok = 0;
  std::size_t hidden = 0;
};
// One row per metric of each case. `margins`: include the margins.
[[nodiscard]] MetricRows metric_rows(const compare::Comparison& comparison,
                                     const ComparisonNames& names, bool all, bool margins);

}  // namespace stepbench::report
