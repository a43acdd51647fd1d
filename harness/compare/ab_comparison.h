// SPDX-License-Identifier: Apache-2.0
// What `stepbench ab` says of a finished campaign, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/ab_campaign.h"
#include "harness/compare/ab_pairs.h"
#include "harness/compare/comparison.h"

namespace stepbench::compare {

// A point that was not measured in both arms, known before the first launch.
struct AbMissing {
  MissingCase point = {};
  bool in_a = false;  // it can be measured in this arm
  bool in_b = false;
  std::string reason = {};
};

struct AbOutcome {
  const AbCampaign& campaign;
  const std::vector<AbPoint>& points;  // in the campaign's order
  std::string a = {};                  // the arms in words
  std::string b = {};
  std::string where = {};                    // the run's folder
  std::vector<std::string> overridden = {};  // options in which the arms differ on purpose
  std::vector<std::string> warnings = {};
  std::vector<AbMissing> missing = {};
};

// The primary metrics as they were judged at the look that ended their case; exact counts over all
// of its pairs.
[[nodiscard]] Comparison ab_comparison(const record::Results& results, const AbOutcome& outcome,
                                       const CompareOptions& options);

}  // namespace stepbench::compare
