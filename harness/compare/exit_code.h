// SPDX-License-Identifier: Apache-2.0
// Overall verdict of a comparison, and the exit code of its command. Pure.
#pragma once

#include <span>

#include "harness/base/exit_status.h"
#include "harness/compare/judge.h"

namespace stepbench::compare {

struct GateInput {
  std::span<const TestResult> tests;  // primary and exact metrics
  bool campaign_invalid = false;
  bool missing_cases = false;  // a case has results on one side only
  bool allow_inconclusive = false;
};

// Exit code of the most severe verdict. No data is never success.
[[nodiscard]] int exit_code(const GateInput& input);
// Verdict of the test that determines the exit code.
[[nodiscard]] Verdict overall(const GateInput& input);

// Larger is worse; defines the order used by overall().
[[nodiscard]] int severity(Verdict verdict);

}  // namespace stepbench::compare
