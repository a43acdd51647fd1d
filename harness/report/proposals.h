// SPDX-License-Identifier: Apache-2.0
// What the rows of a run say to the change that a finding proposes: it may be measured already.
// Pure; points into the rows that it was given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/findings/finding.h"

namespace stepbench::report {

enum class AnswerKind : std::uint8_t {
  kBetter,
  kSame,  // the intervals overlap
  kWorse,
  kNoNumbers  // every launch failed or was skipped
};
[[nodiscard]] std::string_view name_of(AnswerKind kind);  // better, same, worse, no_numbers

// A row that differs from the finding's own in nothing but the proposed options.
struct Answer {
  const estimate::CaseRow* row = nullptr;
  AnswerKind kind = AnswerKind::kSame;
  double ratio = 0;       // its speed over that of the finding's row; 2 is twice as fast
  bool by_rate = false;   // speed is samples/s, else the inverse of the step
  bool is_exact = false;  // of the proposed value, else of another one on the way there or beyond
};

class Proposals {
 public:
  // `rows` and `results` must outlive this.
  Proposals(const std::vector<estimate::CaseRow>& rows, const record::Results& results);

  // nullopt where no row tells, or where the finding proposes nothing.
  [[nodiscard]] std::optional<Answer> answer(const estimate::CaseRow& row,
                                             const Finding& finding) const;
  // "num_workers=2 was measured: 0.28x the samples/s"
  [[nodiscard]] std::string text_of(const Answer& answer, const Finding& finding) const;
  // "--set loader.num_workers=2", or where the run sweeps it "--sweep loader.num_workers=0,2": a
  // swept option takes no --set.
  [[nodiscard]] std::string arguments(const estimate::CaseRow& row, const Finding& finding) const;
  // The fastest of several measured rows, or not to be told from it.
  [[nodiscard]] bool is_best(const estimate::CaseRow& row) const;

 private:
  // Rows that differ in nothing but the proposed options, as far as they all have a value.
  struct Bucket {
    std::vector<const estimate::CaseRow*> rows = {};
    // By the value of the proposed option, where it is one and a number.
    std::multimap<double, const estimate::CaseRow*> by_value = {};
  };
  using Buckets = std::unordered_map<std::string, Bucket>;
  class Search;

  [[nodiscard]] const Buckets& buckets(const std::vector<Finding::Set>& set) const;
  [[nodiscard]] std::string signature(const estimate::CaseRow& row,
                                      const std::vector<Finding::Set>& set) const;
  [[nodiscard]] bool equal_but_for(const estimate::CaseRow& a, const estimate::CaseRow& b,
                                   const std::vector<Finding::Set>& set) const;
  [[nodiscard]] const estimate::CaseRow& timed(const estimate::CaseRow& row) const;
  // Rows of other runs tell nothing. Parts of one plan are one run.
  [[nodiscard]] std::string run_of(const estimate::CaseRow& row) const;

  const std::vector<estimate::CaseRow>& rows_;
  std::vector<std::string> swept_;    // by the files of the runs
  std::vector<std::string> varying_;  // tell the rows apart
  std::vector<std::string> solid_;    // of these: have a value of their own in every row
  bool has_runs_;
  std::map<std::string, const estimate::CaseRow*> timed_;  // by case, arm and run
  std::size_t digits_;                                     // of a case's id
  std::map<std::string, const estimate::CaseRow*> best_;   // of each run: the fastest row
  bool by_rate_ = false;
  mutable std::map<std::string, Buckets> buckets_;  // by the proposed options
};

}  // namespace stepbench::report
