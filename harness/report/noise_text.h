// SPDX-License-Identifier: Apache-2.0
// Texts about the noise of cases and the effort to find a change: for the table, the page of a case
// and the plan. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/compare/launch_design.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

inline constexpr double kUsualChange = 0.02;

struct NoiseQuestion {
  double change = kUsualChange;  // relative; above the margin of a verdict
  std::size_t tests = 2;         // cases times metrics that `compare` tests
};
// As `compare` would test these rows by default.
[[nodiscard]] NoiseQuestion question_of(const std::vector<estimate::CaseRow>& rows, double change);

// Texts for one question, for any number of cases.
class NoiseAdvice {
 public:
  explicit NoiseAdvice(const NoiseQuestion& question);

  // "launches differ by 0.84 %: 0.31 % [0.1, 0.6] of their own, the rest is their 60 steps, each
  // of which differs by 4.1 %"
  [[nodiscard]] static std::string parts(const estimate::CaseNoise& noise);
  // "10 launches of 60 steps find 2.0 % in four of five comparisons (42 s); 8 of 120 would cost
  // less (31 s)". Or why there is no advice; never empty.
  [[nodiscard]] std::string design(const estimate::CaseNoise& noise) const;
  [[nodiscard]] const compare::LaunchDesigns& designs() const { return designs_; }
  [[nodiscard]] std::string change_text() const;  // "2 %"

 private:
  [[nodiscard]] std::string found_now(const estimate::CaseNoise& noise) const;

  NoiseQuestion question_;
  compare::LaunchDesigns designs_;
};

// Lines below the table of `show --noise`; only the first of many cases.
[[nodiscard]] std::vector<std::string> noise_lines(const std::vector<estimate::CaseRow>& rows,
                                                   const record::Results& results, double change);

// For a plan of such cases: "to find 2 %: 14 launches of 170 steps cost least, about 3 min a run
// ..."; empty without cases. `tests`: as in NoiseQuestion.
[[nodiscard]] std::string noise_plan_text(const std::vector<estimate::CaseNoise>& cases,
                                          std::size_t tests);

// Columns of `show --noise`: varying options, step and noise.
[[nodiscard]] std::vector<std::string> noise_selection(const record::Results& results);

}  // namespace stepbench::report
