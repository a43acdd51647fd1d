// SPDX-License-Identifier: Apache-2.0
// Results as checks that passed, failed or were skipped: what systems of continuous integration
// know. A run has one for each case, a verdict one for each compared case, a night one for each
// series. JUnit files and annotations are written from these. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/compare/comparison.h"
#include "harness/record/reader.h"

namespace stepbench::report {

enum class CheckState : std::uint8_t {
  kPassed,
  kFailed,  // a launch failed; a regression
  kError,   // no answer: nothing was measured, the environment was not fit to judge
  kSkipped  // skipped by rule; a verdict that is not decided
};

struct Check {
  std::string name = {};   // "num_workers=4 pin_memory=true"; each once in its suite
  std::string group = {};  // the workload
  CheckState state = CheckState::kPassed;
  std::optional<double> seconds = {};  // of a step
  std::string type = {};     // of what did not pass: "failed", "regression", "inconclusive"
  std::string message = {};  // the reason on one line; of what did not pass never empty
  std::string text = {};     // all that is to be said of it, in lines
  std::string repeat = {};   // a command line that does it again
  Fields properties = {};
};

struct CheckSuite {
  std::string name = {};  // the experiment; the two sides of a verdict
  std::string host = {};
  std::string started_utc = {};
  std::string file = {};  // of the experiment, as it was given
  std::string verdict = {};
  std::vector<Check> checks = {};
  Fields properties = {};  // what all checks have in common

  [[nodiscard]] std::size_t count(CheckState state) const;
};

// A suite for each run, in the order of the results. Launches of profiling passes count only where
// they failed.
[[nodiscard]] std::vector<CheckSuite> checks_of(const record::Results& results);

// A suite for each comparison. Only a regression fails: what is suspected or not decided is
// skipped, what has no data or is invalid is an error.
[[nodiscard]] std::vector<CheckSuite> checks_of(std::span<const compare::Comparison> comparisons);

// Of a night's verdict file. Throws LineError where it is none.
[[nodiscard]] std::vector<CheckSuite> checks_of_night(std::string_view night_json);

// One check that says why there is no answer.
[[nodiscard]] std::vector<CheckSuite> checks_of_error(const std::string& command,
                                                      const std::string& message);

}  // namespace stepbench::report
