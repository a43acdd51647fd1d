// SPDX-License-Identifier: Apache-2.0
// What `stepbench compare` does: reads two results and sets them side by side.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/comparison.h"

namespace stepbench {

struct CompareRequest {
  std::string base;  // result files or folders of runs
  std::string candidate;
  std::vector<std::string> ignore = {};
  std::vector<std::string> allow = {};
  std::vector<std::string> metrics = {};  // tested ones; empty: the step and the peak of memory
  std::vector<std::string> margins = {};
  bool bootstrap = false;
  bool allow_inconclusive = false;
};

// `catalogue` says which options make up a case. Throws Error for what the user can mend.
[[nodiscard]] Comparison compare_files(const CompareRequest& request, const Catalogue& catalogue);

}  // namespace stepbench
