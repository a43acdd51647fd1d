// SPDX-License-Identifier: Apache-2.0
// Results as checks that passed, failed or were skipped, for continuous integration: one per case
// of a run, per compared case of a verdict, or per series of a night. JUnit files and annotations
// are written from these. Pure; any thread.
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
  kError,   // no result: nothing was measured, or the environment was unfit to judge
  kSkipped  // skipped by a rule; an undecided verdict
};

struct Check {
  std::string name = {};   // "num_workers=4 pin_memory=true"; unique in its suite
  std::string group = {};  // the workload
  CheckState state = CheckState::kPassed;
  std::optional<double> seconds = {};  // step time
  std::string type = {};               // set unless passed: "failed", "regression", "inconclusive"
  std::string message = {};            // the reason in one line; never empty unless passed
  std::string text = {};               // full text, several lines
  std::string repeat = {};             // command line that repeats it
  Fields properties = {};
};

struct CheckSuite {
  std::string name = {};  // name of the experiment, or of the two sides of a verdict
  std::string host = {};
  std::string started_utc = {};
  std::string file = {};  // the experiment's file, as given
  std::string verdict = {};
  std::vector<Check> checks = {};
  Fields properties = {};  // common to all checks

  [[nodiscard]] std::size_t count(CheckState state) const;
};

// One suite per run, in the order of the results. Launches of profiling passes are included only if
// they failed.
[[nodiscard]] std::vector<CheckSuite> checks_of(const record::Results& results);

// One suite per comparison. Only a regression fails: suspected and undecided tests are skipped;
// tests without data or invalid ones are errors.
[[nodiscard]] std::vector<CheckSuite> checks_of(std::span<const compare::Comparison> comparisons);

// From a night's verdict file. Throws LineError if it is not one.
[[nodiscard]] std::vector<CheckSuite> checks_of_night(std::string_view night_json);

// A single check with the reason why there is no result.
[[nodiscard]] std::vector<CheckSuite> checks_of_error(const std::string& command,
                                                      const std::string& message);

}  // namespace stepbench::report
