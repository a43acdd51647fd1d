// SPDX-License-Identifier: Apache-2.0
// The steps of a trace, and the windows in which numbers hold: tools disagree mainly because their
// windows differ, so each number here names its own. If a trace marks no steps, they are inferred
// from rows that repeat. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/internal/timeline.h"

namespace stepbench::traces {

enum class WindowKind : std::uint8_t {
  kHostStep,  // from a step's start to the next one's, on the step thread; the last: to its own end
  // The following are for traces without ProfilerStep rows.
  kHostSpan,    // from the first to the last row of host ops and devices
  kDeviceSpan,  // from the first to the last device row, if there are no host ops
  kLoading,     // from one data fetch to the next
  kMarks,       // from one row of a repeated annotation to the next
};
constexpr EnumNames<5> names_of(WindowKind) {
  return {"host_step", "host_span", "device_span", "loading", "marks"};
}

struct Step {
  std::int64_t number = 0;  // N of ProfilerStep#N, including waits and warm-ups
  TimeSpan mark = {};       // the row itself, clipped to the recorded span
  TimeSpan window = {};
  std::int64_t device_rows = 0;  // launched inside the window, by any thread
  std::int64_t spill_ns = 0;     // sum of the parts of their durations after the window's end
  bool edge = false;             // first or last active step
  bool truncated = false;        // cut off by the end of the recording: part of the work is missing
  bool selected = true;          // chosen by StepOptions
};

struct Steps {
  WindowKind window = WindowKind::kHostStep;
  std::vector<Step> steps = {};  // sorted by time; their windows are disjoint
  std::uint32_t lane =
      ops::kNoIndex;        // Trace::lanes: the step thread, whose rows explain idle time
  std::string reason = {};  // why `window` is not kHostStep; empty otherwise
  bool chosen = false;      // the user chose steps by number

  // Problems found; reported by integrity.h.
  std::int64_t duplicates = 0;   // rows whose number occurred before
  std::int64_t gaps = 0;         // missing numbers between the first and the last
  std::int64_t overlapping = 0;  // steps that begin before the previous one ends
  std::int64_t clipped = 0;      // rows beyond the recorded span
  bool other_thread = false;     // the thread of the step rows has no other rows

  [[nodiscard]] std::vector<TimeSpan> windows() const;
  // Returns the index of the step whose window contains the moment.
  [[nodiscard]] std::optional<std::size_t> at(std::int64_t at_ns) const {
    return window_at(steps, at_ns, [](const Step& step) { return step.window; });
  }
  // Indices of the steps used for statistics: the chosen ones, or else those neither edge nor
  // truncated. If there are none, edge steps count; if these are truncated, all steps.
  [[nodiscard]] std::vector<std::size_t> counted() const;
  [[nodiscard]] std::vector<TimeSpan> counted_windows() const;
};

class CountedSteps {
 public:
  explicit CountedSteps(const Steps& steps)
      : places_(steps.counted()), windows_(steps.counted_windows()) {}

  // Returns an index into Steps::steps; nullopt outside the counted steps.
  [[nodiscard]] std::optional<std::size_t> at(std::int64_t at_ns) const {
    const std::optional<std::size_t> found = window_at(windows_, at_ns);
    return found ? std::optional(places_[*found]) : std::nullopt;
  }

 private:
  std::vector<std::size_t> places_;
  std::vector<TimeSpan> windows_;
};

// One step's share of a repeated activity.
struct StepShare {
  std::int64_t calls = 0;
  std::int64_t ns = 0;
  StepShare& operator+=(const StepShare& other);
};

// By index of a counted step. Omits steps without a share: with many names, most.
using StepShares = std::map<std::size_t, StepShare>;

// Sum over the counted steps.
struct InSteps : StepShare {
  StepShares of = {};

  void add(std::size_t step, std::int64_t call_ns);
};

struct StepOptions {
  // If no step is marked: only data fetches are borders, not optimizer steps or annotations.
  bool from_loading = false;
  // First and last number of the steps to count, inclusive; edge steps count, too.
  std::optional<std::pair<std::int64_t, std::int64_t>> numbers = {};
};

// Merges annotations that differ only in a counter of steps or requests into one row of tables, if
// each name occurs in at most half of the steps. "layer 3", in every step, stays separate.
void fold_counting_names(const Steps& steps, Timeline& timeline);

// Without ProfilerStep rows, repeated rows are used as borders: steps.h.
[[nodiscard]] Steps find_steps(const Timeline& timeline, const StepOptions& options = {});

}  // namespace stepbench::traces
