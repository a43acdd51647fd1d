// SPDX-License-Identifier: Apache-2.0
// Looks up whether the change that a finding proposes was already measured in the same run. Pure;
// points into the given rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/estimate/ranking.h"
#include "harness/findings/finding.h"

namespace stepbench::estimate {

// A row that differs from the finding's row only in the proposed options.
struct ProposalAnswer {
  const CaseRow* row = nullptr;
  Difference kind = Difference::kSame;  // of this row relative to the finding's row
  // Set if the rows tie only because of few launches: the smaller of both launch counts.
  std::optional<std::size_t> few_launches = {};
  double ratio = 0;       // its speed over that of the finding's row; 2 is twice as fast
  bool by_rate = false;   // speed is samples/s, else 1 / step
  bool is_exact = false;  // has the proposed value; else another value in that direction
};

class Proposals {
 public:
  // `rows` and `results` must outlive this.
  Proposals(const std::vector<CaseRow>& rows, const record::Results& results);

  // nullopt if no row answers it or the finding proposes nothing.
  [[nodiscard]] std::optional<ProposalAnswer> answer(const CaseRow& row,
                                                     const Finding& finding) const;
  // True for the fastest of several measured rows and rows tied with it.
  [[nodiscard]] bool is_best(const CaseRow& row) const;

  // Full names of the options that the runs sweep, and of those that distinguish rows.
  [[nodiscard]] const std::vector<std::string>& swept() const { return swept_; }
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  // Number of digits that makes the case ids distinct.
  [[nodiscard]] std::size_t id_digits() const { return digits_; }

 private:
  // Rows that differ only in the proposed options, considering options that all rows have.
  struct Bucket {
    std::vector<const CaseRow*> rows = {};
    // By the value of the proposed option, if it is a single numeric option.
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
  // Rows are compared only within a run. Shards of one plan count as one run.
  [[nodiscard]] std::string run_of(const CaseRow& row) const;

  const std::vector<CaseRow>& rows_;
  std::vector<std::string> swept_;
  std::vector<std::string> varying_;
  std::vector<std::string> solid_;  // those of varying_ that have a value in every row
  bool has_runs_;
  std::size_t digits_;
  std::map<std::string, const CaseRow*> timed_;  // by case, arm and run
  std::map<std::string, const CaseRow*> best_;   // fastest row of each run
  bool by_rate_ = false;
  mutable std::map<std::string, Buckets> buckets_;  // by the proposed options
};

}  // namespace stepbench::estimate
