// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench compare`: reads results and compares each with the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

struct CompareRequest {
  std::string base = {};  // result files or run folders
  std::vector<std::string> candidates = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> allow = {};
  std::vector<std::string> metrics = {};  // tested metrics; empty: step and peak memory
  std::vector<std::string> margins = {};
  bool allow_inconclusive = false;
  // Only counts decide; "counts=0.1%" sets their margin. nullopt: from the candidates' file.
  std::optional<bool> gate_counts = {};
};

// Returns one comparison per candidate, in order. `catalogue` defines which options identify a
// case. Throws Error for user errors; names the first candidate that may not be compared.
[[nodiscard]] std::vector<compare::Comparison> compare_files(const CompareRequest& request,
                                                             const Catalogue& catalogue);

// Throws ConfigError if at least three results contain a file or folder twice, which would count
// twice in the correction. Exactly two equal results are an A/A check.
void refuse_given_twice(const CompareRequest& request);

// Makes `chosen`, one of the results by path or last path component, the base; the others keep
// their order. Throws ConfigError naming the nearest match for an unknown result.
void choose_base(const std::string& chosen, CompareRequest& request);

}  // namespace stepbench::campaign
