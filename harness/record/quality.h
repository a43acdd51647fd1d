// SPDX-License-Identifier: Apache-2.0
// What a machine did to a launch, and from which value on each of it matters: the one table that
// flags, notes, findings, gates, nights and the doctor read. What was not watched has no value and
// is never taken for fine. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/record/rows.h"

namespace stepbench::record {

enum class Fact : std::uint8_t {
  kWaited,
  kOthers,
  kSteal,
  kQuota,
  kThrottled,
  kPowerCap,
  kClock,
  kPagedIn,
  kLost,
  kMemoryErrors,
  kGrowth
};
inline constexpr std::size_t kFactCount = 11;

// Each holds those before it.
enum class FactLevel : std::uint8_t {
  kNotWatched,
  kFine,
  kSeen,      // nobody may say that there was none
  kTold,      // a launch says it, by the flag of the fact
  kDoubtful,  // stands beside the first line of a report; may be why a launch waited
  kUnusable   // of the mean of many launches, or before any: measuring is pointless
};

// The host's memory at its peak: of the job, each page divided among the processes that map it, and
// of the process that trains.
inline constexpr std::string_view kJobPeak = "tree_peak_pss_bytes";
inline constexpr std::string_view kProcessPeak = "peak_rss_bytes";

// A share of time or of CPUs, a number, or 1 for yes.
struct FactRow {
  Fact fact;
  std::string_view name;  // as its numbers in `machine` or `metrics` are called
  std::string_view flag;  // empty: a launch does not say it
  // From these values on; 0: from all above it.
  double seen, told, doubtful, unusable;
  double apart;  // arms that differ by more, and by more than chance, were not treated alike
  // Shorter launches are not held against each other: it is counted in ticks.
  std::int64_t least_wall_ns = 0;

  [[nodiscard]] FactLevel level(std::optional<double> value) const;
};
[[nodiscard]] std::span<const FactRow, kFactCount> facts();
[[nodiscard]] const FactRow& row_of(Fact fact);
// nullptr: the flag says something else than a fact.
[[nodiscard]] const FactRow* fact_of_flag(std::string_view flag);

// Looks at a launch that outlives it.
class Quality {
 public:
  Quality(const Fields& machine, const LaunchReport& report, std::int64_t wall_ns)
      : machine_(machine), report_(report), wall_ns_(wall_ns) {}
  explicit Quality(const LaunchRow& row) : Quality(row.machine, row.report, row.wall_ns) {}

  // nullopt: not watched, or a flag alone is left of it.
  [[nodiscard]] std::optional<double> value(Fact fact) const;
  [[nodiscard]] FactLevel level(Fact fact) const;
  [[nodiscard]] bool told(Fact fact) const { return level(fact) >= FactLevel::kTold; }

 private:
  const Fields& machine_;
  const LaunchReport& report_;
  std::int64_t wall_ns_;
};

}  // namespace stepbench::record
