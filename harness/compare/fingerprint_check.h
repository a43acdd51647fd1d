// SPDX-License-Identifier: Apache-2.0
// Whether both sides computed the same: a step that became faster because it does something else is
// no improvement.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/case_pairs.h"

namespace stepbench {

struct FingerprintDifference {
  std::string name;  // "loss", "gradient_norm"
  double base = 0;
  double candidate = 0;
  double relative = 0;
  double limit = 0;       // by precision, or twice what launches of one side differ by
  std::string precision;  // the coarser one of the two sides
};

// The largest difference beyond its limit. A side on which a launch has no finite number differs
// from one where all have. Nothing where they agree or a side has no fingerprint.
[[nodiscard]] std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair);

// What no side has a finite number of.
[[nodiscard]] std::vector<std::string> fingerprint_notes(const CasePair& pair);

[[nodiscard]] std::string to_text(const FingerprintDifference& difference);

}  // namespace stepbench
