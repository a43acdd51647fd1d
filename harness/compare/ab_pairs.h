// SPDX-License-Identifier: Apache-2.0
// The launches of an A/B campaign by pairs.
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

// One point of the plan: the case that it is in either arm. Equal ones when only the workers or
// their environments differ.
struct AbPoint {
  std::string point_id = {};
  std::string a_case = {};
  std::string b_case = {};
};

// Points into the Results.
struct AbPairs {
  CasePair pair = {};       // launches of pairs that both arms measured; equal indexes are a pair
  std::size_t dropped = 0;  // pairs in which an arm was launched and not measured
  std::vector<const record::Launch*> base_launches =
      {};                   // all measured ones of arm A, in run order
  bool neighbours = true;   // nothing else ran between the two launches of a pair
  std::size_t a_first = 0;  // pairs that began with arm A
};

// The launch with number k of an arm belongs to pair k. Of several attempts the last one counts.
// `most`: pairs of each point, the first ones; those after them do not count. Throws ConfigError
// for rows of --smoke.
[[nodiscard]] std::vector<AbPairs> ab_pairs(
    std::span<const record::Launch* const> launches, const std::vector<AbPoint>& points,
    std::size_t most = std::numeric_limits<std::size_t>::max());
[[nodiscard]] std::vector<AbPairs> ab_pairs(const record::Results& results,
                                            const std::vector<AbPoint>& points);

// What is asked of a point, as metric_samples(): a dropped pair counts as one without values.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const AbPairs& pairs,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);
// `values`: of its pair.
[[nodiscard]] std::vector<MetricSamples> metric_samples(const AbPairs& pairs,
                                                        const MetricValues& values,
                                                        const std::vector<Metric>& columns,
                                                        const TestedMetrics& tested);

// Whether the arms took turns, by the times at which the launches began.
[[nodiscard]] Design design_of(const std::vector<AbPairs>& points);

}  // namespace stepbench::compare
