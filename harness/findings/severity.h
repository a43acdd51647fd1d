// SPDX-License-Identifier: Apache-2.0
// How serious a cause is, by what could be won. Pure; any thread.
#pragma once

#include "harness/findings/finding.h"

namespace stepbench::findings {

// `share` of the step's time: a problem from a quarter on, a warning from a twentieth.
[[nodiscard]] constexpr Severity severity_of_share(double share) {
  constexpr double kProblemShare = 0.25;
  constexpr double kWarningShare = 0.05;
  if (share >= kProblemShare) return Severity::kProblem;
  return share >= kWarningShare ? Severity::kWarning : Severity::kInfo;
}

}  // namespace stepbench::findings
