// SPDX-License-Identifier: Apache-2.0
// Whether both sides computed the same: a step that became faster because it does something else is
// no improvement.
#pragma once

#include <optional>
#include <string>

#include "harness/compare/case_pairs.h"

namespace stepbench {

struct FingerprintDifference {
  std::string name;  // "loss", "gradient_norm"
  double base = 0;
  double candidate = 0;
  double relative = 0;
  double limit = 0;       // by precision: fp32 1e-4, tf32 1e-3, bf16 and fp16 2e-2
  std::string precision;  // the coarser one of the two sides
};

// The largest difference beyond its limit, over the first launch of either side that has values.
// Nothing where they agree or a side has none.
[[nodiscard]] std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair);

[[nodiscard]] std::string to_text(const FingerprintDifference& difference);

}  // namespace stepbench
