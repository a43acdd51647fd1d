// SPDX-License-Identifier: Apache-2.0
// Remarks on a comparison: where the time of changed steps went, and what supports or weakens its
// verdicts. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/verdict/comparison.h"

namespace stepbench::report {

// One paragraph per changed step, with its operations below.
[[nodiscard]] std::vector<document::Paragraph> cause_paragraphs(
    const verdict::Comparison& comparison, const ComparisonNames& names);
// Environment differences, gates, notes, the self-check.
[[nodiscard]] std::vector<document::Paragraph> remark_paragraphs(
    const verdict::Comparison& comparison, const ComparisonNames& names);
// Adds these as chapters, and below the doubts the command that judges the same launches with
// failed gates as warnings.
void add_remarks(document::Document& document, std::vector<document::Paragraph> causes,
                 const std::vector<document::Paragraph>& remarks,
                 std::span<const verdict::Comparison> comparisons);

// Counts of metrics that differ between the sides, whatever their margins.
struct MovedMetrics {
  std::size_t rose = 0;
  std::size_t fell = 0;
};
[[nodiscard]] MovedMetrics moved_metrics(std::span<const verdict::Comparison> comparisons);
// "1 rose, 1 fell, before margins"
[[nodiscard]] std::string moved_text(const MovedMetrics& moved);

}  // namespace stepbench::report
