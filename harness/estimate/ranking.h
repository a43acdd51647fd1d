// SPDX-License-Identifier: Apache-2.0
// Ranks cases: which is best and by how much, whether the launches can resolve it, and how much
// slower than the best each case is at most. Cases whose loader or step was measured alone do not
// compete. Also looks up cases that a finding proposes. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/estimate/case_rows.h"
#include "harness/findings/finding.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

// Ranking criterion: a rate if steps do different amounts of work, else the time. Named as its
// column.
enum class Judged : std::uint8_t { kStep, kLatency, kSamplesRate, kTokensRate, kBytesRate };
constexpr EnumNames<5> names_of(Judged) {
  return {"step_ns", "latency_p50_ns", "samples_per_s", "tokens_per_s", "bytes_per_s"};
}
[[nodiscard]] bool is_rate(Judged by);

// Display unit of a rate: {1e9, "GB/s"} for bytes. For a time: {1, ""}.
struct RateUnit {
  double scale = 1;
  std::string_view name = {};
};
[[nodiscard]] RateUnit rate_unit(Judged by);

struct JudgedValue {
  double centre = 0;  // nanoseconds, or per second
  Spread spread = Spread::kNone;
  stats::Interval interval = {};
};

// Criterion for the rows that can be ranked. nullopt if there are none, or if they mix latencies
// and steps.
[[nodiscard]] std::optional<Judged> judged_by(std::span<const CaseRow> rows);
// nullopt if the row lacks the value.
[[nodiscard]] std::optional<JudgedValue> judged_value(const CaseRow& row, Judged by);

// True for timed rows that are not of a smoke run or an arm of an A/B campaign.
[[nodiscard]] bool can_be_ranked(const CaseRow& row);

struct Ratio {
  double value = 0;
  // From the ends of both intervals: contains 1 exactly if they overlap. Only if both are intervals
  // over launches.
  std::optional<stats::Interval> interval = {};
};
// Speed ratio: above 1 if `row` is the better of the two.
[[nodiscard]] std::optional<Ratio> speed_up(const CaseRow& row, const CaseRow& over, Judged by);

enum class Difference : std::uint8_t { kBetter, kSame, kWorse, kNoNumbers };
constexpr EnumNames<4> names_of(Difference) { return {"better", "same", "worse", "no_numbers"}; }
// The only rule that distinguishes two rows. With intervals over launches: kSame if they overlap,
// so that a tie in a table stays a tie. Otherwise the 99 % interval of the ratio of the launches'
// means, which must agree in direction with the medians; ranges of a few launches are not used,
// since two such ranges lie apart by chance in one of three tries. For single launches, 5 % are
// noise.
[[nodiscard]] Difference difference_between(const CaseRow& row, const CaseRow& from, Judged by);

struct Ranking {
  Judged by = Judged::kStep;
  std::size_t best = 0;  // index of the row
  std::size_t next = 0;
  // The best has an interval over launches, and the next has one too or ties with it. Otherwise
  // this is an order without a winner.
  bool decided = false;
  // Rows whose intervals overlap the best one's, fastest first. Only if decided.
  std::vector<std::size_t> ties = {};
  // All rows that can be ranked tie: there is no best one.
  bool all_tie = false;
};
// nullopt if fewer than two rows can be ranked.
[[nodiscard]] std::optional<Ranking> rank(std::span<const CaseRow> rows);

// Sets `vs_best` and `is_best` of the rows.
void compare_with_best(std::span<CaseRow> rows);

// Upper bounds on how much slower each case is than the best. Multiple comparisons with the best
// (Hsu 1981): all bounds of a table hold together in at least 95 % of tables, without knowing which
// case is the best.

// A round is one launch of each case in turn; the machine's effect on the whole round is removed.
struct RoundTime {
  int round = 0;
  double log_time = 0;  // natural logarithm
};

// Returns exp(bound) - 1 for each case: 0.023 = at most 2.3 % slower than the best. Dunnett's
// one-sided bound on the means of the logarithms, with one spread for all cases; a case that varies
// clearly more than the others has its own. Empty for fewer than two cases, or if a case has fewer
// than six rounds.
[[nodiscard]] std::vector<double> best_bounds(std::span<const std::vector<RoundTime>> cases,
                                              double confidence = 0.95);

// Cases whose loader or step was measured alone (loader.alone): bounds on what both can reach
// together, not settings to choose from.

// True for such a case, and for a result of 0.1 that replayed batches.
[[nodiscard]] bool is_standalone(const CaseRow& row);
// True for a timing row that is not an arm of a comparison.
[[nodiscard]] bool is_timed(const CaseRow& row);

// Such rows, indexed by the full case. The rows must outlive it.
class StandaloneCases {
 public:
  explicit StandaloneCases(const std::vector<CaseRow>& rows);
  // Returns the first row of the same case whose `part`, "loader" or "step", was measured alone;
  // null if there is none.
  [[nodiscard]] const CaseRow* find(const CaseRow& both, std::string_view part) const;

 private:
  std::map<std::string, const CaseRow*> by_case_;
};

// Looks up whether the change that a finding proposes was already measured in the same run.
// Points into the given rows.

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
