// SPDX-License-Identifier: Apache-2.0
// Checks that both sides did the same work. Fingerprints: a step that became faster because it
// computes something else is not an improvement. Exact counts without a direction (kernels, copies,
// parameters): a change in one explains a verdict but is not a verdict itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/case_metrics.h"
#include "harness/compare/case_pairs.h"
#include "harness/record/reader.h"

namespace stepbench::compare {

struct FingerprintDifference {
  std::string name;      // "loss", "gradient_norm"
  double base = 0;       // median over the launches
  double candidate = 0;  // also the median, or the launch farthest from the base
  double relative = 0;
  double limit = 0;       // by precision, or twice the spread between launches of the base
  std::string precision;  // the coarser of the two sides
};

// Largest difference beyond its limit between the medians of both sides, or of a single candidate
// launch from the base. The spread of the candidate's launches does not widen the limit. A side
// with a launch without a finite number differs from a side in which all are finite. nullopt if
// they agree or a side has no fingerprint.
[[nodiscard]] std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair);

// Notes on fingerprints that are finite on neither side, or on which launches of the base disagree.
[[nodiscard]] std::vector<std::string> fingerprint_notes(const CasePair& pair);

[[nodiscard]] std::string to_text(const FingerprintDifference& difference);

// "kernels 120 -> 132, counted exactly in profiled launches". Only for counts that are equal in all
// launches of a side. Values of timed launches take precedence over those of profiled ones.
struct CountedLaunches {
  std::vector<const record::Launch*> timed = {};
  std::vector<const record::Launch*> profiled = {};
  std::vector<const record::Launch*> counted = {};  // under valgrind
};
[[nodiscard]] std::vector<std::string> exact_count_notes(const CountedLaunches& base,
                                                         const CountedLaunches& candidate,
                                                         const std::vector<Metric>& columns);

// Removes counts that vary between the launches of a side, since no verdict is possible. Returns a
// note on each.
[[nodiscard]] std::vector<std::string> take_varying_counts(std::vector<MetricSamples>& asked);

}  // namespace stepbench::compare
