// SPDX-License-Identifier: Apache-2.0
// The order of an A/B measurement, when it ends, its launches as pairs, and the comparison that
// `stepbench ab` reports. Pure: the order follows from the seed, the end from the samples, so that
// an interrupted campaign continues as if it had not been interrupted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verdict/comparison.h"
#include "harness/verdict/internal/case_metrics.h"
#include "harness/verdict/internal/case_pairs.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {

struct AbDesign {
  std::size_t cases = 0;
  std::uint64_t seed = 0;
  std::vector<std::size_t> looks = {};  // pairs after which the rule is applied, ascending
  VerdictRule rule = {};
  // Replaces the rule at each look but the last: returns true if a case needs no more pairs.
  std::function<bool(std::size_t case_index, std::size_t pairs)> is_over = {};
};
// Looks at 10, 20 and 40 pairs; with more than ten primary metrics only at 20 and 40, since ten
// pairs seldom pass their correction.
[[nodiscard]] AbDesign with_looks(std::size_t cases, std::size_t primary_metrics,
                                  std::uint64_t seed);
// A single look at the end, at the level of a single test.
[[nodiscard]] AbDesign with_fixed_pairs(std::size_t cases, std::size_t pairs, std::uint64_t seed);

// "judged after 10 pairs", "interim results after 10, 20 and 40 pairs".
[[nodiscard]] std::string looks_text(std::span<const std::size_t> looks);

// One launch. Block k of a case holds its pairs 2k and 2k + 1 in the order ABBA or BAAB. Cases
// alternate by whole blocks, so that the two launches of a pair are adjacent in time.
struct AbSlot {
  std::size_t case_index = 0;
  bool b = false;
  std::size_t pair = 0;  // also the number of the launch in its arm
  std::size_t block = 0;
  std::size_t position = 0;  // in the campaign
};

struct AbCase {
  bool in_rotation = true;
  std::size_t ended_at = 0;            // pairs at the look that decided it, or at the last look
  std::vector<TestResult> tests = {};  // results of its primary metrics at that look
};

class AbCampaign {
 public:
  // Returns the primary metrics of the first `pairs` pairs of a case: always the same number, in
  // the same order.
  using SamplesOf =
      std::function<std::vector<PairedSamples>(std::size_t case_index, std::size_t pairs)>;

  explicit AbCampaign(AbDesign design);

  // Returns the next launch, or nullopt after the last look or when every case is decided. Calls
  // `samples_of` at each look; all launches returned before must have ended by then.
  [[nodiscard]] std::optional<AbSlot> next(const SamplesOf& samples_of);

  [[nodiscard]] const std::vector<AbCase>& cases() const { return cases_; }
  [[nodiscard]] const AbDesign& design() const { return design_; }
  [[nodiscard]] std::size_t looks_done() const { return next_look_; }
  // Upper bound on the remaining launches: no further case is decided before the last look.
  [[nodiscard]] std::size_t remaining() const;

 private:
  void plan_until(std::size_t pairs);
  void look(const SamplesOf& samples_of);

  AbDesign design_;
  std::vector<AbCase> cases_;
  std::vector<std::uint64_t> b_first_;  // one word per block and case, cases innermost
  std::vector<AbSlot> slots_;           // up to the next look
  std::size_t next_slot_ = 0;
  std::size_t next_look_ = 0;
  std::size_t pairs_planned_ = 0;
  std::size_t positions_ = 0;
};

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

// The comparison that `stepbench ab` reports for a finished campaign.

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

}  // namespace stepbench::verdict
