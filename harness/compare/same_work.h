// SPDX-License-Identifier: Apache-2.0
// Whether both sides did the same work. Fingerprints: a step that became faster because it computes
// something else is no improvement. Counts that were declared exact and are neither better nor
// worse by themselves (kernels, copies, parameters): a change of one explains a verdict and never
// is one.
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
  double candidate = 0;  // the same, or the launch that is farthest from the base
  double relative = 0;
  double limit = 0;       // by precision, or twice what launches of the base differ by
  std::string precision;  // the coarser one of the two sides
};

// The largest difference beyond its limit, of the medians of both sides or of a single launch of
// the candidate. What the candidate's launches differ by is no excuse for it. A side on which a
// launch has no finite number differs from one where all have. nullopt if they agree or a side has
// no fingerprint.
[[nodiscard]] std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair);

// What no side has a finite number of, and what launches of the base do not agree on.
[[nodiscard]] std::vector<std::string> fingerprint_notes(const CasePair& pair);

[[nodiscard]] std::string to_text(const FingerprintDifference& difference);

// "kernels 120 -> 132, counted exactly in profiled launches". Only counts that every launch of a
// side repeats. Timed launches speak for what they report, profiled ones for the rest.
struct CountedLaunches {
  std::vector<const record::Launch*> timed = {};
  std::vector<const record::Launch*> profiled = {};
  std::vector<const record::Launch*> counted = {};  // under valgrind
};
[[nodiscard]] std::vector<std::string> exact_count_notes(const CountedLaunches& base,
                                                         const CountedLaunches& candidate,
                                                         const std::vector<Metric>& columns);

// Takes counts out of what is asked that vary between the launches of a side: by chance, so that no
// verdict is passed on them. Returns what to say of each.
[[nodiscard]] std::vector<std::string> take_varying_counts(std::vector<MetricSamples>& asked);

}  // namespace stepbench::compare
