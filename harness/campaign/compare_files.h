// SPDX-License-Identifier: Apache-2.0
// What `stepbench compare` does: reads results and sets each beside the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/comparison.h"

namespace stepbench::campaign {

struct CompareRequest {
  std::string base = {};  // result files or folders of runs
  std::vector<std::string> candidates = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> allow = {};
  std::vector<std::string> metrics = {};  // tested ones; empty: the step and the peak of memory
  std::vector<std::string> margins = {};
  bool allow_inconclusive = false;
  // Counts decide alone; "counts=0.1%" among the margins is theirs. nullopt: as the experiment file
  // of all candidates says.
  std::optional<bool> gate_counts = {};
};

// One comparison for each candidate, in their order. `catalogue` says which options make up a case.
// Throws Error for what the user can mend; the first candidate that may not be compared is named.
[[nodiscard]] std::vector<compare::Comparison> compare_files(const CompareRequest& request,
                                                             const Catalogue& catalogue);

// Throws ConfigError where, of three results or more, two are the same file or folder: it would
// count twice in the correction. Two that are the same are an A/A check.
void refuse_given_twice(const CompareRequest& request);

// Makes `chosen`, one of the results by its path or its last part, the base; the others keep their
// order. Throws ConfigError with the nearest one for anything else.
void choose_base(const std::string& chosen, CompareRequest& request);

}  // namespace stepbench::campaign
