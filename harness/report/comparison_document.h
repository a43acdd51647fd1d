// SPDX-License-Identifier: Apache-2.0
// What is said of a comparison, or of several results against one base. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/report/comparison_names.h"

namespace stepbench::report {

// Rows that say ok are left out beyond this many rows, unless all are asked for.
inline constexpr std::size_t kMaxOkRows = 30;
inline constexpr std::size_t kMaxRows = 200;  // of the others; the JSON form has every one
// A for the base, B, C, ... for the others.
inline constexpr std::size_t kMaxCompared = 26;

// The verdict is its answer. Chapters: how it was measured, the cases, what changed inside a step,
// remarks, doubts (comparison_chapters.h). `all`: every row. Of several a column for each, after
// the same base.
[[nodiscard]] document::Document comparison_document(
    std::span<const compare::Comparison> comparisons, bool all);
// In Markdown, by which a bot finds its own comment again.
inline constexpr const char* kVerdictMarker = "stepbench-verdict";
// Of two and more.
[[nodiscard]] document::Document several_document(std::span<const compare::Comparison> comparisons,
                                                  bool all);

struct MetricRows {
  document::Table table;
  std::size_t hidden_ok = 0;
  std::size_t hidden = 0;
};
// A row for each metric of each case. `margins`: with the margin that each was held to.
[[nodiscard]] MetricRows metric_rows(const compare::Comparison& comparison,
                                     const ComparisonNames& names, bool all, bool margins);

}  // namespace stepbench::report
