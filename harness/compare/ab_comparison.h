// SPDX-License-Identifier: Apache-2.0
// Builds the Comparison that `stepbench ab` reports for a finished campaign.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/ab_campaign.h"
#include "harness/compare/comparison.h"

namespace stepbench::compare {

// A point that is known before the first launch not to be measurable in both arms.
struct AbMissing {
  MissingCase point = {};
  std::string name = {};  // of the point, for people
  bool in_a = false;      // measurable in arm A
  bool in_b = false;
  std::string reason = {};
};

struct AbOutcome {
  const AbCampaign& campaign;
  const std::vector<AbPoint>& points;  // in the campaign's order
  std::string a = {};                  // arm A, for people
  std::string b = {};
  std::string where = {};                    // the run's folder
  std::vector<std::string> overridden = {};  // options in which the arms differ by design
  std::vector<std::string> warnings = {};
  std::vector<AbMissing> missing = {};
};

// Primary metrics keep the verdict of the look that ended their case; exact counts use all of its
// pairs.
[[nodiscard]] Comparison ab_comparison(const record::Results& results, const AbOutcome& outcome,
                                       const CompareOptions& options);

}  // namespace stepbench::compare
