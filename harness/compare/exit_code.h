// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "harness/compare/judge.h"

namespace stepbench {

// What a gate returns to the shell. Errors are 2 and never come from here.
inline constexpr int kGateOk = 0;            // ok or improved
inline constexpr int kGateRegression = 1;    // confirmed
inline constexpr int kGateInconclusive = 3;  // inconclusive, or a slower suspect
inline constexpr int kGateNoData = 4;        // environment invalid or no data

struct GateInput {
  std::span<const Judgement> judgements;  // of primary and exact metrics
  bool campaign_invalid = false;
  bool missing_cases = false;  // a case has results on one side only
  bool allow_inconclusive = false;
};

// The gravest counts. What measured nothing is never green.
[[nodiscard]] int exit_code(const GateInput& input);
// The verdict of the whole in one word: that of the judgement which decided the exit code.
[[nodiscard]] Verdict overall(const GateInput& input);

}  // namespace stepbench
