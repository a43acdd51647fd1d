// SPDX-License-Identifier: Apache-2.0
// The verdict of a whole comparison, and what its command returns to the shell. Pure.
#pragma once

#include <span>

#include "harness/base/exit_status.h"
#include "harness/compare/judge.h"

namespace stepbench::compare {

struct GateInput {
  std::span<const TestResult> tests;  // of primary and exact metrics
  bool campaign_invalid = false;
  bool missing_cases = false;  // a case has results on one side only
  bool allow_inconclusive = false;
};

// The most severe verdict decides. No data is never success.
[[nodiscard]] int exit_code(const GateInput& input);
// The verdict of the whole in one word: that of the test which decided the exit code.
[[nodiscard]] Verdict overall(const GateInput& input);

// Larger: worse. The order in which overall() lets one verdict decide over another.
[[nodiscard]] int severity(Verdict verdict);

}  // namespace stepbench::compare
