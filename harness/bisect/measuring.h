// SPDX-License-Identifier: Apache-2.0
// One step of a search: launches of two programs in turns, or their counts, and what these tell.
// Runs launches; main thread only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/bisect/bisect_request.h"
#include "harness/bisect/counts.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/search.h"
#include "harness/compare/comparison.h"

namespace stepbench::bisect {

// Both programs of a step.
struct StepPrograms {
  SearchStep step = {};
  BuiltProgram base = {};
  BuiltProgram candidate = {};
};

struct StepEnd {
  bool by_signal = false;
  std::vector<double> log_ratios = {};  // of pairs; positive is worse
  std::string why_not = {};             // why there are none; empty: there are two and more
  bool for_base = false;                // the earlier program is why
  std::size_t repeated = 0;             // pairs that were measured again: see compare::is_even()
  std::size_t launches = 0;
  std::filesystem::path folder = {};
  compare::Comparison comparison = {};  // where the programs were built apart: what differs inside
  std::string repeat = {};              // the command that measures both again
};

class Measuring {
 public:
  // The arguments outlive it. `folder`: of the search.
  Measuring(const BisectRequest& request, const std::vector<Commit>& commits,
            std::filesystem::path folder, const Launching& launching);

  // Pairs until `is_enough` of them can be used. What a gate forbids to judge is measured once
  // more. Throws ConfigError for what cannot be planned.
  using IsEnough = std::function<bool(verdict::Pairs)>;
  [[nodiscard]] StepEnd time(const StepPrograms& programs, const IsEnough& is_enough);
  // By the count that moved between the ends, which the first step tells.
  [[nodiscard]] StepEnd count(const StepPrograms& programs);
  // The same by one pair that says what a step of each is made of.
  [[nodiscard]] StepEnd compare_counts(const StepPrograms& programs);
  // The count; empty: none is known, or none rose.
  [[nodiscard]] const std::string& counted() const { return counted_; }

 private:
  [[nodiscard]] campaign::AbRequest pairs_request(const StepPrograms& programs,
                                                  const std::string& again) const;
  [[nodiscard]] campaign::AbRun run_pairs(const campaign::AbRequest& request,
                                          const campaign::AbArms& arms);

  const BisectRequest& request_;
  const std::vector<Commit>& commits_;
  std::filesystem::path folder_;
  const Launching& launching_;
  std::map<std::size_t, record::Results> counts_ = {};  // by place
  std::string counted_ = {};
};

}  // namespace stepbench::bisect
