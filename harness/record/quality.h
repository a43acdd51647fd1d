// SPDX-License-Identifier: Apache-2.0
// How far a launch can be trusted: effects of the machine on it, with the values from which each
// matters, and the verdict on its warm-up. The one table used by flags, notes, findings, gates,
// nights and the doctor. An unobserved fact has no value and never counts as fine. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/record/rows.h"
#include "harness/schedule/schedule.h"

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

// Ascending: each level includes the previous ones.
enum class FactLevel : std::uint8_t {
  kNotWatched,
  kFine,
  kSeen,      // present, however small
  kReported,  // reported by a launch, as the fact's flag
  kDoubtful,  // shown next to the first line of a report; may explain a launch's wait
  kUnusable   // for the mean of many launches, or before any: measuring is pointless
};

// Peak host memory: of the job, with each page divided among the processes that map it; and of the
// training process alone.
inline constexpr std::string_view kJobPeak = "tree_peak_pss_bytes";
inline constexpr std::string_view kProcessPeak = "peak_rss_bytes";

// A share of time or of CPUs, a number, or 1 for yes.
struct FactRow {
  Fact fact;
  std::string_view name;  // name of its value in `machine` or `metrics`
  std::string_view flag;  // empty: launches do not report it
  // Lowest value of each level; 0: any value above 0.
  double seen, reported, doubtful, unusable;
  double arm_difference;  // arms that differ by more, beyond chance, had unequal conditions
  // Shorter launches are not compared: the fact is counted in ticks.
  std::int64_t least_wall_ns = 0;

  [[nodiscard]] FactLevel level(std::optional<double> value) const;
};
[[nodiscard]] std::span<const FactRow, kFactCount> facts();
[[nodiscard]] const FactRow& row_of(Fact fact);
// nullptr: the flag is not about a fact.
[[nodiscard]] const FactRow* fact_of_flag(std::string_view flag);

// References a launch that must outlive it.
class Quality {
 public:
  Quality(const Fields& machine, const LaunchReport& report, std::int64_t wall_ns)
      : machine_(machine), report_(report), wall_ns_(wall_ns) {}
  explicit Quality(const LaunchRow& row) : Quality(row.machine, row.report, row.wall_ns) {}

  // nullopt: not observed, or only known as a flag.
  [[nodiscard]] std::optional<double> value(Fact fact) const;
  [[nodiscard]] FactLevel level(Fact fact) const;
  [[nodiscard]] bool reported(Fact fact) const { return level(fact) >= FactLevel::kReported; }

 private:
  const Fields& machine_;
  const LaunchReport& report_;
  std::int64_t wall_ns_;
};

// Judges a launch's warm-up by its own steps, for the fields of its report.

// The worst verdict of all windows, on the clock of the estimate. A window without the column
// `flags` has no flags.
[[nodiscard]] schedule::WarmupVerdict judge_windows(std::span<const Series> cycles,
                                                    std::int64_t block_steps = 1);

// Sets warmup_verdict, _more and _change of `schedule`, flags and a note.
void put_warmup(const schedule::WarmupVerdict& verdict, LaunchReport& report);

}  // namespace stepbench::record
