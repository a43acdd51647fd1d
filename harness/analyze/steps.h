// SPDX-License-Identifier: Apache-2.0
// The steps of a trace and the windows in which numbers hold: tools disagree mainly because their
// windows differ, so that each number here names its own. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/analyze/timeline.h"
#include "harness/base/enum_names.h"

namespace stepbench::analyze {

enum class WindowKind : std::uint8_t {
  kHostStep,  // a step's start to the next one's, on the step thread; the last: its own end
  // Of a trace without ProfilerStep rows.
  kHostSpan,    // first to last row of host ops and of devices
  kDeviceSpan,  // first to last row of the devices, where there are no host ops
  kLoading,     // from one fetch of data to the next
  kMarks,       // from one row of a repeated annotation to the next
};
constexpr EnumNames<5> names_of(WindowKind) {
  return {"host_step", "host_span", "device_span", "loading", "marks"};
}

struct Step {
  std::int64_t number = 0;  // N of ProfilerStep#N, waits and warm-ups counted
  TimeSpan mark = {};       // the row itself, clipped to the recorded span
  TimeSpan window = {};
  std::int64_t device_rows = 0;  // launched inside the window, from any thread
  std::int64_t spill_ns = 0;     // sum of what they did after the window's end
  bool edge = false;             // first or last active step
  bool truncated = false;        // cut off by the end of the recording: part of the work is missing
  bool selected = true;          // by StepOptions
};

struct Steps {
  WindowKind window = WindowKind::kHostStep;
  std::vector<Step> steps = {};  // by time; their windows are disjoint
  std::uint32_t lane =
      ops::kNoIndex;        // Trace::lanes: the step thread, whose rows explain idle time
  std::string reason = {};  // why `window` is not kHostStep; empty otherwise
  bool chosen = false;      // the steps were asked for by number

  // What was met on the way; integrity.h tells it.
  std::int64_t duplicates = 0;   // rows of a number that was there before
  std::int64_t gaps = 0;         // numbers that are missing between the first and the last
  std::int64_t overlapping = 0;  // steps that begin before the last one ends
  std::int64_t clipped = 0;      // rows beyond the recorded span
  bool other_thread = false;     // the steps' own thread has nothing else
  std::int64_t step_pid = 0;

  [[nodiscard]] std::vector<TimeSpan> windows() const;
  // The step whose window holds the moment, by its place.
  [[nodiscard]] std::optional<std::size_t> at(std::int64_t at_ns) const {
    return window_at(steps, at_ns, [](const Step& step) { return step.window; });
  }
  // Indices of the steps that statistics rest on: those that were asked for, or else those that are
  // neither edge nor truncated. Where no such step is left, the edges count, and where these are
  // truncated, all.
  [[nodiscard]] std::vector<std::size_t> counted() const;
  [[nodiscard]] std::vector<TimeSpan> counted_windows() const;
};

// Finds the counted step of a moment.
class CountedSteps {
 public:
  explicit CountedSteps(const Steps& steps)
      : places_(steps.counted()), windows_(steps.counted_windows()) {}

  // By its place in Steps::steps; nullopt outside of them.
  [[nodiscard]] std::optional<std::size_t> at(std::int64_t at_ns) const {
    const std::optional<std::size_t> found = window_at(windows_, at_ns);
    return found ? std::optional(places_[*found]) : std::nullopt;
  }

 private:
  std::vector<std::size_t> places_;
  std::vector<TimeSpan> windows_;
};

// Of something that happens several times: what falls into a step.
struct StepShare {
  std::int64_t calls = 0;
  std::int64_t ns = 0;
  StepShare& operator+=(const StepShare& other);
};

// By the place of a counted step; those without are left out: of many names and many steps, most.
using StepShares = std::map<std::size_t, StepShare>;

// What falls into the counted steps.
struct InSteps : StepShare {
  StepShares of = {};

  void add(std::size_t step, std::int64_t call_ns);
};

struct StepOptions {
  // Where no step is marked: take the fetches of data alone as borders, not those after which an
  // optimizer stepped, and no other annotation.
  bool from_loading = false;
  // Numbers of the steps to count, both ends included, edges too.
  std::optional<std::pair<std::int64_t, std::int64_t>> numbers = {};
};

// Annotations whose numbers count steps or requests share a row in tables: those of which a name is
// in half of the steps at most. "layer 3", which is in each, keeps its own.
void fold_counting_names(const Steps& steps, Timeline& timeline);

// Where no row is a ProfilerStep, rows that repeat are taken as borders: inferred_steps.h.
[[nodiscard]] Steps find_steps(const Timeline& timeline, const StepOptions& options = {});

}  // namespace stepbench::analyze
