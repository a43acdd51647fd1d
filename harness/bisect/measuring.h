// SPDX-License-Identifier: Apache-2.0
// Measures one step of a search: alternating launches of two programs, or their counts. Runs
// launches; main thread only.
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

struct StepPrograms {
  SearchStep step = {};
  BuiltProgram base = {};
  BuiltProgram candidate = {};
};

struct StepEnd {
  bool by_signal = false;
  std::vector<double> log_ratios = {};  // per pair; positive is worse
  std::string why_not = {};             // why there are none; empty: at least two
  bool for_base = false;                // the earlier program is the reason
  std::size_t repeated = 0;             // pairs measured again: see compare::is_even()
  std::size_t launches = 0;
  std::filesystem::path folder = {};
  compare::Comparison comparison = {};  // for copies: differences inside a step
  std::string repeat = {};              // command that measures both again
};

class Measuring {
 public:
  // The arguments must outlive this object. `folder`: of the search.
  Measuring(const BisectRequest& request, const std::vector<Commit>& commits,
            std::filesystem::path folder, const Launching& launching);

  // Measures pairs until `is_enough` returns true for the usable ones. Repeats the step once if a
  // gate rejects it. Throws ConfigError if planning fails.
  using IsEnough = std::function<bool(verdict::Pairs)>;
  [[nodiscard]] StepEnd time(const StepPrograms& programs, const IsEnough& is_enough);
  // Compares the count that changed between the ends, which the first step determines.
  [[nodiscard]] StepEnd count(const StepPrograms& programs);
  // Like count(), using one pair that also records what a step of each consists of.
  [[nodiscard]] StepEnd compare_counts(const StepPrograms& programs);
  // Name of the count; empty: none known, or none increased.
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
