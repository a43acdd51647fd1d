// SPDX-License-Identifier: Apache-2.0
// Which case is best, by how much, and whether the launches can tell. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/estimate/case_rows.h"
#include "harness/stats/interval.h"

namespace stepbench::estimate {

// By what cases are ranked: a rate where their steps do different amounts of work, else the time.
enum class Judged : std::uint8_t { kStep, kLatency, kSamplesRate, kTokensRate, kBytesRate };

// The column of the number: "step_ns", "samples_per_s".
[[nodiscard]] std::string_view column_of(Judged by);
[[nodiscard]] bool is_rate(Judged by);

// How people read a rate: {1e9, "GB/s"} of bytes. Of a time: {1, ""}.
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

// Rows that can be ranked: timed, no smoke run, no arm of an A/B campaign. nullopt if there are
// none, or if latencies stand beside steps.
[[nodiscard]] std::optional<Judged> judged_by(std::span<const CaseRow> rows);
// nullopt for a row without the number.
[[nodiscard]] std::optional<JudgedValue> judged_value(const CaseRow& row, Judged by);

// Timed, no smoke run, no arm of an A/B campaign.
[[nodiscard]] bool can_be_ranked(const CaseRow& row);

struct Ratio {
  double value = 0;
  // From the ends of both intervals: it holds 1 exactly where these overlap. Only of two intervals
  // over launches.
  std::optional<stats::Interval> interval = {};
};
// How many times as fast: above 1 where `row` is the better of the two.
[[nodiscard]] std::optional<Ratio> speed_up(const CaseRow& row, const CaseRow& over, Judged by);

enum class Difference : std::uint8_t { kBetter, kSame, kWorse, kNoNumbers };
constexpr EnumNames<4> names_of(Difference) { return {"better", "same", "worse", "no_numbers"}; }
// The one rule by which a row is told from another. Their intervals over launches: the same where
// these overlap, so that what a table shows as a tie is one. Else the 99 % interval of the ratio of
// their launches' means, which must not contradict their medians: a range of a few launches is no
// interval, two such lie apart by chance in one of three tries. Of single launches 5 % are noise.
[[nodiscard]] Difference told_apart(const CaseRow& row, const CaseRow& from, Judged by);

struct Ranking {
  Judged by = Judged::kStep;
  std::size_t best = 0;  // index of the row
  std::size_t next = 0;
  // The best has an interval over launches, and the next has one too or is tied with it. Without,
  // this is an order and no winner.
  bool decided = false;
  // Their intervals overlap the best one's, the fastest first. Only where decided.
  std::vector<std::size_t> ties = {};
  // Every row that can be ranked is among them: there is no best one.
  bool all_tie = false;
};
// Of the rows that can be ranked; nullopt where fewer than two rows can be ranked.
[[nodiscard]] std::optional<Ranking> rank(std::span<const CaseRow> rows);

// Fills `vs_best` and `is_best` of the rows.
void compare_with_best(std::span<CaseRow> rows);

}  // namespace stepbench::estimate
