// SPDX-License-Identifier: Apache-2.0
// The kinds of charts that a sweep is drawn as. All draw the measure of the table of cases with
// its interval; a case without a number is a cross with its reason, a combination that was not
// planned stays empty. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "harness/report/html/case_chart.h"
#include "harness/report/html/sweep_axes.h"

namespace stepbench::report {

// What all charts of a sweep are drawn from. Points at what others own.
struct SweepView {
  const TableFacts& facts;
  const CaseWords& words;
  const Measure& measure;
  std::span<const std::size_t> rows;  // of facts.rows; dimensions are of these
};

// A line for each value of `line`, a panel for each of `panel`; both may be null.
[[nodiscard]] document::Figure lines_figure(const SweepView& view, const Dimension& x,
                                            const Dimension* line, const Dimension* panel);
// The number is written in the cells where they are few enough. `panel` may be null.
[[nodiscard]] document::Figure heat_figure(const SweepView& view, const Dimension& x,
                                           const Dimension& y, const Dimension* panel);
// A line of text for each of `rows`, in their order. `series`: of view.rows, one colour for each of
// its values; may be null.
[[nodiscard]] document::Figure dots_figure(const SweepView& view, std::span<const std::size_t> rows,
                                           const Dimension* series);
// Each case a line over all dimensions, coloured by how fast it is.
[[nodiscard]] document::Figure parallel_figure(const SweepView& view,
                                               std::span<const Dimension* const> dimensions);

// For the title of a chart: "step [ms] by num_workers and batch_size".
[[nodiscard]] std::string sweep_title(const SweepView& view,
                                      std::span<const Dimension* const> dimensions);
// The words for whoever does not see it: title and answer.
[[nodiscard]] std::string sweep_alt(const SweepView& view, const std::string& kind,
                                    const std::string& title);
// In the legend, beside crosses.
inline constexpr const char* kNoNumber = "no number: failed, skipped or not recorded";
void add_cross_marker(json::JsonText& json);
// The value whose colour stands for the row: those that tie with the best share its colour.
[[nodiscard]] double colour_value(const SweepView& view, const estimate::CaseRow& row,
                                  double centre);

}  // namespace stepbench::report
