// SPDX-License-Identifier: Apache-2.0
// Groups the launches of an A/B campaign into pairs.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/case_metrics.h"
#include "harness/compare/case_pairs.h"

namespace stepbench::compare {

inline constexpr const char* kArmA = "a";  // names of the arms, written to disk
inline constexpr const char* kArmB = "b";
// "arm A", for people.
[[nodiscard]] std::string arm_label(std::string_view arm);

// One point of the plan and its case in each arm. The cases are equal if only the workers or their
// environments differ.
struct AbPoint {
  std::string point_id = {};
  std::string a_case = {};
  std::string b_case = {};
};

// Points into the Results.
struct AbPairs {
  CasePair pair = {};       // launches of pairs measured in both arms; equal indexes form a pair
  std::size_t dropped = 0;  // pairs with a launch that was started but not measured
  std::vector<const record::Launch*> base_launches =
      {};                   // all measured launches of arm A, in run order
  bool neighbours = true;   // no other launch ran between the two of a pair
  std::size_t a_first = 0;  // pairs that began with arm A
};

// Launch number k of an arm belongs to pair k. Only the last attempt of a launch counts. `most`:
// number of pairs to use per point, from the first. Throws ConfigError for rows of --smoke.
[[nodiscard]] std::vector<AbPairs> ab_pairs(
    std::span<const record::Launch* const> launches, const std::vector<AbPoint>& points,
    std::size_t most = std::numeric_limits<std::size_t>::max());
[[nodiscard]] std::vector<AbPairs> ab_pairs(const record::Results& results,
                                            const std::vector<AbPoint>& points);

// Samples of a point, like metric_samples() of a CasePair. A dropped pair counts as a pair without
// values.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const AbPairs& pairs,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);
// `values`: of `pairs.pair`.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const AbPairs& pairs,
                                                        const MetricValues& values,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);

// Returns kInterleaved if the arms took turns, judged by the start times of the launches.
[[nodiscard]] Design design_of(const std::vector<AbPairs>& points);

}  // namespace stepbench::compare
