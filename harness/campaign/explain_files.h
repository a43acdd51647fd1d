// SPDX-License-Identifier: Apache-2.0
// What `stepbench explain` does: reads two runs and the controls of their machines, and sets what
// differs beside what the controls predict.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/compare/explain.h"
#include "harness/machine/environment.h"

namespace stepbench::campaign {

struct ExplainRequest {
  std::string a = {};  // result files or folders of runs
  std::string b = {};
  // Files of `doctor --measure`; empty: those that the run carries, or of this machine where it was
  // measured here.
  std::string a_controls = {};
  std::string b_controls = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> cases = {};  // beginnings of ids, of either side; empty: all
};

struct ExplainedRuns {
  std::unique_ptr<const record::Results> a;  // the explanation points into them
  std::unique_ptr<const record::Results> b;
  compare::Controls a_controls = {};
  compare::Controls b_controls = {};
  compare::Explanation explanation = {};
};

// Throws Error for what the user can mend; where no case is on both sides with what differs.
[[nodiscard]] ExplainedRuns explain_runs(const ExplainRequest& request, const Catalogue& catalogue,
                                         const machine::Variables& variables);

}  // namespace stepbench::campaign
