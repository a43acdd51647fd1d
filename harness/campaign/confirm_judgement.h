// SPDX-License-Identifier: Apache-2.0
// What a campaign's launches say of one suspect. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/campaign/confirm_suspects.h"
#include "harness/compare/ab_pairs.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

enum class FindingKind : std::uint8_t {
  kReproduced,
  kNotReproduced,
  kInvalid,  // a gate failed, too few values: nothing can be said
  // No launch of the last good build was measured, or the two compute something else.
  kNotComparable
};

struct ConfirmFinding {
  FindingKind kind = FindingKind::kInvalid;
  std::string why = {};              // a sentence without a full stop; empty where it was judged
  bool good_fails = false;           // kNotComparable: the good build did not run
  track::ConfirmAnswer answer = {};  // where it was judged
  double good_value = 0;             // medians over the pairs
  double tonight_value = 0;
  std::vector<compare::PhaseChange> cause = {};
  std::vector<compare::OpChange> ops = {};
};

// A finished campaign. All outlive the calls.
struct JudgedCampaign {
  const record::Results& results;
  const std::vector<Metric>& columns;
  const compare::Comparison& comparison;  // for its gates
  std::size_t pairs = 0;                  // that were asked for
  bool bridge = false;
};

// Whether the first `pairs` of a campaign are enough for this suspect: it is not there.
[[nodiscard]] bool is_over(const Suspect& suspect, const compare::AbPoint& point,
                           const record::Results& results, const std::vector<Metric>& columns,
                           std::size_t pairs);

// `point`: the suspect's case in both arms.
[[nodiscard]] ConfirmFinding judge_suspect(const Suspect& suspect, const compare::AbPoint& point,
                                           const JudgedCampaign& campaign);

}  // namespace stepbench::campaign
