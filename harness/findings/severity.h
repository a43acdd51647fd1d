// SPDX-License-Identifier: Apache-2.0
// Severity of a cause by its possible gain. Pure; any thread.
#pragma once

#include "harness/findings/finding.h"

namespace stepbench::findings {

// `share` of the step's time: at least 1/4 is a problem, at least 1/20 a warning.
[[nodiscard]] constexpr Severity severity_of_share(double share) {
  constexpr double kProblemShare = 0.25;
  constexpr double kWarningShare = 0.05;
  if (share >= kProblemShare) return Severity::kProblem;
  return share >= kWarningShare ? Severity::kWarning : Severity::kInfo;
}

}  // namespace stepbench::findings
