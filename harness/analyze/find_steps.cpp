// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/steps.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "harness/analyze/inferred_steps.h"

namespace stepbench::analyze {
namespace {

// A step with less than this share of the others' work is treated as cut off by the profiler.
constexpr double kTruncatedBelow = 0.8;

bool is_step(const trace::Trace& trace, const trace::TraceEvent& event) {
  return (event.kind == trace::EventKind::kAnnotation || event.kind == trace::EventKind::kOp) &&
         trace.names[event.name].facts.step >= 0;
}

std::uint32_t lane_of_steps(const trace::Trace& trace) {
  std::uint32_t lane = ops::kNoIndex;
  std::ptrdiff_t most = 0;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    if (trace.lanes[i].kind != trace::LaneKind::kHost) continue;
    const std::vector<trace::TraceEvent>& events = trace.lanes[i].events;
    const std::ptrdiff_t rows =
        std::count_if(events.begin(), events.end(),
                      [&](const trace::TraceEvent& event) { return is_step(trace, event); });
    if (rows > most) {
      most = rows;
      lane = i;
    }
  }
  return lane;
}

void read_marks(const Timeline& timeline, std::uint32_t lane, Steps& found) {
  const trace::Trace& trace = *timeline.trace;
  std::set<std::int64_t> seen;
  for (const trace::TraceEvent& event : trace.lanes[lane].events) {
    if (!is_step(trace, event)) continue;
    const std::int64_t number = trace.names[event.name].facts.step;
    if (!seen.insert(number).second) {
      ++found.duplicates;
      continue;
    }
    Step step = {.number = number, .mark = span_of(event)};
    if (timeline.recorded && step.mark.end_ns > timeline.recorded->end_ns) {
      // The span's own row may end some microseconds early.
      constexpr std::int64_t kSlackNs = 1'000'000;
      if (step.mark.end_ns > timeline.recorded->end_ns + kSlackNs) {
        ++found.clipped;
        step.truncated = true;
        step.mark.end_ns = std::max(step.mark.begin_ns, timeline.recorded->end_ns);
      }
    }
    found.steps.push_back(step);
  }
}

void close_windows(Steps& found) {
  std::vector<Step>& steps = found.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    step.window = step.mark;
    if (i + 1 == steps.size()) break;
    const Step& next = steps[i + 1];
    if (next.mark.begin_ns < step.mark.end_ns) ++found.overlapping;
    if (next.number == step.number + 1) {
      step.window.end_ns = next.mark.begin_ns;
    } else {
      found.gaps += std::max<std::int64_t>(0, next.number - step.number - 1);
      step.window.end_ns = std::min(step.mark.end_ns, next.mark.begin_ns);
    }
  }
  std::erase_if(steps, [](const Step& step) { return step.window.length_ns() <= 0; });
}

void count_device_rows(const Timeline& timeline, std::vector<Step>& steps) {
  std::vector<std::size_t> step_of_call(timeline.calls.size(), steps.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < step_of_call.size(); ++i) {
    const std::int64_t start_ns = timeline.calls[i].event->start_ns;
    while (at < steps.size() && steps[at].window.end_ns <= start_ns) ++at;
    if (at == steps.size()) break;
    if (start_ns >= steps[at].window.begin_ns) step_of_call[i] = at;
  }
  for (const WorkRow& row : timeline.work) {
    if (row.call == ops::kNoIndex || step_of_call[row.call] == steps.size()) continue;
    Step& step = steps[step_of_call[row.call]];
    ++step.device_rows;
    step.spill_ns += std::max<std::int64_t>(
        0, row.event->end_ns - std::max(row.event->start_ns, step.window.end_ns));
  }
}

void mark_edges(std::vector<Step>& steps) {
  if (steps.empty()) return;
  steps.front().edge = true;
  steps.back().edge = true;
  if (steps.size() < 2) return;
  // Truncated: steps without device work where most have some, and a last step with too little.
  const auto with_work = std::count_if(steps.begin(), steps.end(),
                                       [](const Step& step) { return step.device_rows > 0; });
  if (2 * with_work > std::ssize(steps)) {
    for (Step& step : steps) step.truncated = step.truncated || step.device_rows == 0;
  }
  const Step& before = steps[steps.size() - 2];
  if (static_cast<double>(steps.back().device_rows) <
      kTruncatedBelow * static_cast<double>(before.device_rows)) {
    steps.back().truncated = true;
  }
}

Steps from_marks(const Timeline& timeline, std::uint32_t lane) {
  const trace::Trace& trace = *timeline.trace;
  Steps found;
  found.lane = lane;
  found.step_pid = trace.lanes[lane].pid;
  read_marks(timeline, lane, found);
  close_windows(found);
  if (rows_of_work(trace, trace.lanes[lane]) == 0) {
    const std::uint32_t busiest = step_thread(trace);
    if (busiest != ops::kNoIndex) {
      found.lane = busiest;
      found.other_thread = true;
    }
  }
  return found;
}

Steps steps_without_marks(const Timeline& timeline, bool from_loading) {
  const std::uint32_t lane = step_thread(*timeline.trace);
  Steps found = repeated_steps(timeline, lane, from_loading);
  if (!found.steps.empty()) return found;
  found = one_step(timeline, lane);
  if (from_loading) {
    found.reason +=
        "; --steps-from-loading needs three fetches of data on one thread, and the "
        "trace has fewer";
  }
  return found;
}

}  // namespace

std::vector<TimeSpan> Steps::windows() const {
  std::vector<TimeSpan> windows(steps.size());
  std::transform(steps.begin(), steps.end(), windows.begin(),
                 [](const Step& step) { return step.window; });
  return windows;
}

std::vector<TimeSpan> Steps::counted_windows() const {
  std::vector<TimeSpan> windows;
  for (const std::size_t i : counted()) windows.push_back(steps[i].window);
  return windows;
}

std::vector<std::size_t> Steps::counted() const {
  std::vector<std::size_t> inner;
  std::vector<std::size_t> whole;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].selected) continue;
    all.push_back(i);
    if (steps[i].truncated) continue;
    whole.push_back(i);
    if (!steps[i].edge) inner.push_back(i);
  }
  if (chosen) return all;
  if (!inner.empty()) return inner;
  return whole.empty() ? all : whole;
}

StepShare& StepShare::operator+=(const StepShare& other) {
  calls += other.calls;
  ns += other.ns;
  return *this;
}

void InSteps::add(std::size_t step, std::int64_t call_ns) {
  const StepShare call{.calls = 1, .ns = call_ns};
  *this += call;
  of[step] += call;
}

Steps find_steps(const Timeline& timeline, const StepOptions& options) {
  const trace::Trace& trace = *timeline.trace;
  const std::uint32_t marked = lane_of_steps(trace);
  Steps found;
  if (marked != ops::kNoIndex) found = from_marks(timeline, marked);
  if (found.steps.empty()) found = steps_without_marks(timeline, options.from_loading);
  count_device_rows(timeline, found.steps);
  mark_edges(found.steps);
  if (options.numbers) {
    found.chosen = true;
    for (Step& step : found.steps) {
      step.selected =
          options.numbers->first <= step.number && step.number <= options.numbers->second;
    }
  }
  return found;
}

}  // namespace stepbench::analyze
