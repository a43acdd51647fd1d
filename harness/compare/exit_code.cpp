// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/exit_code.h"

#include <algorithm>

namespace stepbench::compare {

Verdict overall(const GateInput& input) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(input.tests.begin(), input.tests.end(),
                       [&](const TestResult& j) { return j.verdict == verdict; });
  };
  const bool slower_suspect =
      std::any_of(input.tests.begin(), input.tests.end(),
                  [](const TestResult& j) { return j.verdict == Verdict::kSuspect && j.slower; });
  if (input.campaign_invalid) return Verdict::kInvalid;
  if (input.tests.empty()) return Verdict::kNoData;
  if (any(Verdict::kRegression)) return Verdict::kRegression;
  if (any(Verdict::kInvalid)) return Verdict::kInvalid;
  if (any(Verdict::kNoData) || input.missing_cases) return Verdict::kNoData;
  if (slower_suspect) return Verdict::kSuspect;
  if (any(Verdict::kInconclusive)) return Verdict::kInconclusive;
  if (any(Verdict::kSuspect)) return Verdict::kSuspect;
  if (any(Verdict::kImprovement)) return Verdict::kImprovement;
  return Verdict::kOk;
}

int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return 0;
    case Verdict::kImprovement:
      return 1;
    case Verdict::kInconclusive:
      return 2;
    case Verdict::kSuspect:
      return 3;
    case Verdict::kNoData:
      return 4;
    case Verdict::kInvalid:
      return 5;
    case Verdict::kRegression:
      return 6;
  }
  return 0;
}

int exit_code(const GateInput& input) {
  switch (overall(input)) {
    case Verdict::kRegression:
      return kExitRegression;
    case Verdict::kInvalid:
    case Verdict::kNoData:
      return kExitNothingMeasured;
    case Verdict::kInconclusive:
      return input.allow_inconclusive ? kExitOk : kExitInconclusive;
    case Verdict::kSuspect: {
      const bool slower = std::any_of(
          input.tests.begin(), input.tests.end(),
          [](const TestResult& j) { return j.verdict == Verdict::kSuspect && j.slower; });
      return slower && !input.allow_inconclusive ? kExitInconclusive : kExitOk;
    }
    case Verdict::kImprovement:
    case Verdict::kOk:
      return kExitOk;
  }
  return kExitNothingMeasured;
}

}  // namespace stepbench::compare
