// SPDX-License-Identifier: Apache-2.0
// Texts that all tables of comparisons share: the cells of one test, the names of the cases, the
// ids of the chapters. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/verdict/comparison.h"

namespace stepbench::report {

struct ComparedMetric {
  const verdict::Comparison* comparison;
  const verdict::CaseResult* of;
  const verdict::MetricResult* metric;
  const verdict::TestResult* test;  // of the metric
};
// All metrics of all cases, in their order; they point into `comparisons`.
[[nodiscard]] std::vector<ComparedMetric> compared_metrics(
    std::span<const verdict::Comparison> comparisons);

// Letter of each of several results: "A" is the base.
[[nodiscard]] std::string letter_of(std::size_t place);
[[nodiscard]] std::string compared_value(double value, const std::string& unit);  // "12.3 ms"
// Formats both in one unit: "0.999 ms" and "1.10 ms".
[[nodiscard]] std::pair<std::string, std::string> compared_values(double before, double after,
                                                                  const std::string& unit);
[[nodiscard]] std::string change_text(const verdict::TestResult& test);       // "+2.50 %"
[[nodiscard]] std::string interval_text_of(const verdict::TestResult& test);  // "[+1.10, +3.90]"
// "+1.90 %": the bias-corrected change, given that it was reported; "-" if none was.
[[nodiscard]] std::string corrected_text(const verdict::TestResult& test);
[[nodiscard]] std::string adjusted_p_text(double p);  // "<0.001", "-"
// "suspect: worse", "inconclusive: needs ~40 launches"; `unit`: see needed_unit(). The detail is
// what follows the verdict.
[[nodiscard]] std::string verdict_text(const verdict::TestResult& test, const std::string& unit);
[[nodiscard]] std::string verdict_detail(const verdict::TestResult& test, const std::string& unit);
// "worse?": the verdict in a cell.
[[nodiscard]] std::string mark_of(const verdict::TestResult& test);
// "2 perhaps worse, 3 within the margin, 1 undecided"; empty without metrics.
[[nodiscard]] std::string verdict_counts(const verdict::Comparison& comparison);
// The unit that an inconclusive test needs more of: "launches", or "pairs" for `ab`.
[[nodiscard]] std::string needed_unit(const verdict::Comparison& comparison);

class ComparisonNames {
 public:
  // `comparison` must outlive this.
  explicit ComparisonNames(const verdict::Comparison& comparison);

  // By the varying options; if none vary, by what is measured.
  [[nodiscard]] std::string of(const verdict::CaseResult& one) const;
  [[nodiscard]] std::string of(const verdict::MissingCase& one) const;
  [[nodiscard]] std::string of_id(const std::string& case_id) const;
  [[nodiscard]] std::string short_id(std::string_view id) const;

 private:
  [[nodiscard]] std::string name(const OptionValues& options, const std::string& workload,
                                 std::string_view id) const;

  const verdict::Comparison& comparison_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
  bool only_one_ = false;
};

}  // namespace stepbench::report

namespace stepbench::report::comparison_chapters {

// Ids of chapters; a page uses them to reorder the chapters.

inline constexpr const char* kDesign = "design";
inline constexpr const char* kCases = "cases";
inline constexpr const char* kCauses = "causes";
inline constexpr const char* kRemarks = "remarks";
inline constexpr const char* kDoubts = "doubts";

}  // namespace stepbench::report::comparison_chapters
