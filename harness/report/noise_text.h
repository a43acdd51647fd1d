// SPDX-License-Identifier: Apache-2.0
// Texts about noise: effects of the machine on launches, the sources of a case's noise, and what it
// would take to find a change. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/compare/detectable_change.h"
#include "harness/estimate/busy_machine.h"
#include "harness/estimate/case_rows.h"
#include "harness/record/quality.h"

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

// Effects of the machine on launches.

// The load of the machine: a sentence and a short form.
struct BusyWords {
  std::string text;   // "the machine was busy: the training thread waited 2.1 to 62.0 % of its ..."
  std::string doubt;  // "waited 2.1 to 62.0 % of its time for a CPU; others used 81.0 %"
};
// `all` must not be empty. `where` is appended to both: " (2 of 3 cases)".
[[nodiscard]] BusyWords busy_words(std::span<const estimate::BusyMachine> all,
                                   const std::string& where);
// "busy machine: waited 62.0 % of its time for a CPU"
[[nodiscard]] std::string busy_words(const estimate::BusyMachine& busy);

// Facts other than waiting that a case's measured launches report: "the hypervisor took 2.0 % of
// the machine's CPU time (in 2 of 6 launches)".
[[nodiscard]] std::vector<std::string> reported_facts(const estimate::CaseRow& row);
// Says that the load of the machine was not recorded, although a launch recorded other facts; else
// empty.
[[nodiscard]] std::string not_watched_words(const estimate::CaseRow& row);

}  // namespace stepbench::report
