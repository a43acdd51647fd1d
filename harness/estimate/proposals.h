// SPDX-License-Identifier: Apache-2.0
// What the rows of a run say to the change that a finding proposes: it may be measured already.
// Pure; points into the rows that it was given.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/estimate/ranking.h"
#include "harness/findings/finding.h"

namespace stepbench::estimate {

// A row that differs from the finding's own in nothing but the proposed options.
struct ProposalAnswer {
  const CaseRow* row = nullptr;
  Difference kind = Difference::kSame;  // of this row from the finding's
  // Not told apart, and so few launches could not have told it: how many the fewer of both have.
  std::optional<std::size_t> few_launches = {};
  double ratio = 0;       // its speed over that of the finding's row; 2 is twice as fast
  bool by_rate = false;   // speed is samples/s, else the inverse of the step
  bool is_exact = false;  // of the proposed value, else of another one on the way there or beyond
};

class Proposals {
 public:
  // `rows` and `results` must outlive this.
  Proposals(const std::vector<CaseRow>& rows, const record::Results& results);

  // nullopt where no row tells, or where the finding proposes nothing.
  [[nodiscard]] std::optional<ProposalAnswer> answer(const CaseRow& row,
                                                     const Finding& finding) const;
  // The fastest of several measured rows, or not to be told from it.
  [[nodiscard]] bool is_best(const CaseRow& row) const;

  // Full names of the options that the files of the runs sweep, and of those that tell rows apart.
  [[nodiscard]] const std::vector<std::string>& swept() const { return swept_; }
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  // Digits that tell the ids of the cases apart.
  [[nodiscard]] std::size_t id_digits() const { return digits_; }

 private:
  // Rows that differ in nothing but the proposed options, as far as they all have a value.
  struct Bucket {
    std::vector<const CaseRow*> rows = {};
    // By the value of the proposed option, where it is one and a number.
    std::multimap<double, const CaseRow*> by_value = {};
  };
  using Buckets = std::unordered_map<std::string, Bucket>;
  class Search;

  [[nodiscard]] const Buckets& buckets(const std::vector<Finding::Set>& set) const;
  [[nodiscard]] std::string signature(const CaseRow& row,
                                      const std::vector<Finding::Set>& set) const;
  [[nodiscard]] bool equal_but_for(const CaseRow& a, const CaseRow& b,
                                   const std::vector<Finding::Set>& set) const;
  [[nodiscard]] const CaseRow& timed(const CaseRow& row) const;
  // Rows of other runs tell nothing. Parts of one plan are one run.
  [[nodiscard]] std::string run_of(const CaseRow& row) const;

  const std::vector<CaseRow>& rows_;
  std::vector<std::string> swept_;
  std::vector<std::string> varying_;
  std::vector<std::string> solid_;  // of these: have a value of their own in every row
  bool has_runs_;
  std::size_t digits_;
  std::map<std::string, const CaseRow*> timed_;  // by case, arm and run
  std::map<std::string, const CaseRow*> best_;   // of each run: the fastest row
  bool by_rate_ = false;
  mutable std::map<std::string, Buckets> buckets_;  // by the proposed options
};

}  // namespace stepbench::estimate
