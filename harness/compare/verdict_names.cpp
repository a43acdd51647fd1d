// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "harness/compare/judge.h"

namespace stepbench::compare {
namespace {

struct ReasonName {
  TestReason reason;
  std::string_view name;
  std::string_view words;
};
constexpr std::array<ReasonName, 12> kReasons = {
    {{TestReason::kNone, "", ""},
     {TestReason::kTooFewPairs, "too_few_pairs", "too few pairs"},
     {TestReason::kNotRejectedAfterCorrection, "not_rejected_after_correction", "may be chance"},
     {TestReason::kBelowMargin, "below_margin", "perhaps within the margin"},
     {TestReason::kMeanCost, "mean_cost", "the mean may be beyond the margin"},
     {TestReason::kWideInterval, "wide_interval", ""},
     {TestReason::kCountVaries, "count_varies", "a count that varies between launches"},
     {TestReason::kExact, "exact", "counted exactly"},
     {TestReason::kNoPairs, "no_pairs", "no pair was measured"},
     {TestReason::kNoUsableValues, "no_usable_values", "no pair has a usable value"},
     {TestReason::kTooManyDropped, "too_many_dropped", "too many pairs lack a value"},
     {TestReason::kNoise, "noise", "too noisy"}}};

const ReasonName& row_of(TestReason reason) {
  return *std::find_if(kReasons.begin(), kReasons.end(),
                       [&](const ReasonName& row) { return row.reason == reason; });
}

}  // namespace

std::string_view name_of(TestReason reason) { return row_of(reason).name; }

std::string_view describe(TestReason reason) { return row_of(reason).words; }

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return "regression";
    case Verdict::kImprovement:
      return "improvement";
    case Verdict::kOk:
      return "ok";
    case Verdict::kSuspect:
      return "suspect";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kNoData:
      return "no-data";
  }
  return "";
}

std::string_view name_of(Design design) {
  return design == Design::kInterleaved ? "interleaved" : "sequential";
}

}  // namespace stepbench::compare
