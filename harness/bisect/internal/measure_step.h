// SPDX-License-Identifier: Apache-2.0
// One step of a search: its name, its request, and the result of alternating launches of two
// programs or of their counts. Runs launches; main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/internal/bisect_request.h"
#include "harness/bisect/internal/counts.h"
#include "harness/bisect/internal/search.h"
#include "harness/bisect/programs.h"
#include "harness/campaign/run_ab.h"
#include "harness/record/result_file.h"
#include "harness/verdict/ab_campaign.h"
#include "harness/verdict/comparison.h"

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
  std::size_t repeated = 0;             // pairs measured again: see verdict::is_even()
  std::size_t launches = 0;
  std::filesystem::path folder = {};
  verdict::Comparison comparison = {};  // for copies: differences inside a step
  std::string repeat = {};              // command that measures both again
};

class Measuring {
 public:
  // The arguments must outlive this object. `folder`: of the search.
  Measuring(const BisectRequest& request, const std::vector<Commit>& commits,
            std::filesystem::path folder, const campaign::Launching& launching);

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
  [[nodiscard]] campaign::AbRun run_pairs(const campaign::AbRequest& request,
                                          const campaign::AbArms& arms);

  const BisectRequest& request_;
  const std::vector<Commit>& commits_;
  std::filesystem::path folder_;
  const campaign::Launching& launching_;
  std::map<std::size_t, record::Results> counts_ = {};  // by place
  std::string counted_ = {};
};

inline constexpr int kCountedOfEnds = 2;  // launches of each end, to verify that counts repeat
[[nodiscard]] bool counts_only(const BisectRequest& request);
// Values of the arms, or the script, are in the commit's tree.
[[nodiscard]] bool reads_trees(const BisectRequest& request);

struct PairValues {
  std::vector<double> log_ratios = {};  // log(candidate / base); positive is worse
  std::size_t uneven = 0;               // pairs excluded because machine conditions differed
};
// Uses the first `most` pairs that both sides measured.
[[nodiscard]] PairValues pair_values(const record::Results& results, const verdict::AbPoint& point,
                                     const verdict::TestedMetrics& tested,
                                     const std::vector<Metric>& columns, std::size_t most);

}  // namespace stepbench::bisect
