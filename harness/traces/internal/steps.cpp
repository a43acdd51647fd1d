// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/steps.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
#include "harness/text/words.h"
#include "harness/traces/internal/name_facts.h"
#include "harness/traces/internal/nesting.h"

namespace stepbench::traces {
namespace {

// A step with less than this share of the others' work is treated as cut off by the profiler.
constexpr double kTruncatedBelow = 0.8;

bool is_step(const Trace& trace, const TraceEvent& event) {
  return is_op_or_annotation(event.kind) && trace.names[event.name].facts.step >= 0;
}

std::uint32_t lane_of_steps(const Trace& trace) {
  std::uint32_t lane = ops::kNoIndex;
  std::ptrdiff_t most = 0;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    if (trace.lanes[i].kind != LaneKind::kHost) continue;
    const std::vector<TraceEvent>& events = trace.lanes[i].events;
    const std::ptrdiff_t rows = std::ranges::count_if(
        events, [&](const TraceEvent& event) { return is_step(trace, event); });
    if (rows > most) {
      most = rows;
      lane = i;
    }
  }
  return lane;
}

void read_marks(const Timeline& timeline, std::uint32_t lane, Steps& found) {
  const Trace& trace = *timeline.trace;
  std::set<std::int64_t> seen;
  for (const TraceEvent& event : trace.lanes[lane].events) {
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
  const auto with_work =
      std::ranges::count_if(steps, [](const Step& step) { return step.device_rows > 0; });
  if (2 * with_work > std::ssize(steps)) {
    for (Step& step : steps) step.truncated = step.truncated || step.device_rows == 0;
  }
  const Step& before = steps[steps.size() - 2];
  if (double(steps.back().device_rows) < kTruncatedBelow * double(before.device_rows)) {
    steps.back().truncated = true;
  }
}

constexpr std::ptrdiff_t kMinRepeats = 3;
// Minimum share of the thread's span: marks that cover less belong to only a part of the work.
constexpr double kMinCovered = 0.5;

void widen(std::optional<TimeSpan>& whole, TimeSpan by) {
  whole = whole
              ? TimeSpan{std::min(whole->begin_ns, by.begin_ns), std::max(whole->end_ns, by.end_ns)}
              : by;
}

// Signs that steps run on a thread, strongest first.
struct ThreadSigns {
  std::int64_t fetches = 0;
  std::int64_t optimizer = 0;
  std::int64_t annotations = 0;
  std::int64_t rows = 0;
  std::int64_t autograd = 0;

  [[nodiscard]] auto rank() const {
    const bool backward = 2 * autograd > rows;
    return std::tuple(fetches, optimizer, backward ? 0 : annotations, !backward, rows);
  }
};

bool marks_work(const Trace& trace, const TraceEvent& event) {
  const NameFacts& facts = trace.names[event.name].facts;
  if (!is_host_op(trace, event) || facts.communication || facts.autograd) return false;
  return event.kind == EventKind::kAnnotation || facts.data_wait || facts.optimizer;
}

ThreadSigns signs_of(const Trace& trace, const TraceLane& lane) {
  ThreadSigns signs;
  std::int64_t autograd_until_ns = 0;
  bool any_autograd = false;
  for (const TraceEvent& event : lane.events) {
    if (!is_call(event.kind) && !is_host_op(trace, event)) continue;
    const NameFacts& facts = trace.names[event.name].facts;
    ++signs.rows;
    if (facts.autograd) {
      autograd_until_ns = any_autograd ? std::max(autograd_until_ns, event.end_ns) : event.end_ns;
      any_autograd = true;
    }
    if (any_autograd && event.start_ns < autograd_until_ns) {
      ++signs.autograd;
      continue;
    }
    if (facts.data_wait) ++signs.fetches;
    if (facts.optimizer) ++signs.optimizer;
    if (marks_work(trace, event)) ++signs.annotations;
  }
  return signs;
}

// "iteration 12" and "iteration 13" are rows of one kind.
std::uint32_t kind_of(const Trace& trace, const TraceEvent& event) {
  const std::uint32_t folded = trace.names[event.name].folded;
  return folded == ops::kNoIndex ? event.name : folded;
}

// "step[DECODE bs=16]", "prefill_step_3" and "validate_batch" name whole steps, alternatively;
// "forward_step" and "optimizer_step" name parts. Empty for other names.
std::string_view noun_of_steps(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNouns = {"step", "batch", "iteration", "iter"};
  constexpr std::array<std::string_view, 9> kParts = {
      "forward", "backward", "optimizer", "optim", "update", "grad", "loss", "zero", "scheduler"};
  std::string_view noun;
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : ' ';
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (std::ranges::find(kParts, word) != kParts.end()) return {};
    const auto* const found = std::ranges::find(kNouns, word);
    if (found != kNouns.end()) noun = *found;
    word.clear();
  }
  return noun;
}

// Non-overlapping rows of one family that are not inside another repeated family.
struct RepeatedRows {
  std::vector<TimeSpan> spans = {};
  std::vector<std::uint32_t> names = {};  // kinds in this family, in their order
  bool fetches = false;
  bool optimizer = false;

  [[nodiscard]] std::int64_t total_ns() const {
    std::int64_t total_ns = 0;
    for (const TimeSpan& span : spans) total_ns += span.length_ns();
    return total_ns;
  }
};

// Returns the family of each kind of row, by name: alternatives of a step share one, all others
// have their own. A kind that encloses an alternative belongs to none, unless it repeats.
std::map<std::uint32_t, std::uint32_t> families_of(const Trace& trace, const TraceLane& lane) {
  std::map<std::uint32_t, std::ptrdiff_t> count;
  std::map<std::uint32_t, std::string_view> nouns;
  std::map<std::uint32_t, bool> encloses;
  const Nesting marks(lane, [&](const TraceEvent& event) { return marks_work(trace, event); });
  for (const auto& [event, parent] : marks.rows()) {
    const std::uint32_t kind = kind_of(trace, *event);
    if (++count[kind] == 1 && event->kind == EventKind::kAnnotation) {
      nouns[kind] = noun_of_steps(trace.names[kind].text);
    }
    if (nouns[kind].empty()) continue;
    for (std::uint32_t outer = parent; outer != ops::kNoIndex; outer = marks[outer].parent) {
      encloses[kind_of(trace, *marks[outer].event)] = true;
    }
  }
  std::map<std::string_view, std::uint32_t> first_of_noun;
  std::map<std::uint32_t, std::uint32_t> families;
  for (const auto& [kind, rows] : count) {
    families[kind] = kind;
    if (nouns[kind].empty() || (encloses[kind] && rows < kMinRepeats)) continue;
    families[kind] = first_of_noun.try_emplace(nouns[kind], kind).first->second;
  }
  return families;
}

std::vector<RepeatedRows> repeated_rows(const Trace& trace, const TraceLane& lane) {
  const std::map<std::uint32_t, std::uint32_t> families = families_of(trace, lane);
  std::map<std::uint32_t, std::ptrdiff_t> count;
  const auto family_of = [&](const TraceEvent& event) {
    return families.at(kind_of(trace, event));
  };
  for (const TraceEvent& event : lane.events) {
    if (marks_work(trace, event)) ++count[family_of(event)];
  }
  std::map<std::uint32_t, RepeatedRows> found;
  std::int64_t inside_until_ns = 0;
  bool any = false;
  for (const TraceEvent& event : lane.events) {
    if (!marks_work(trace, event)) continue;
    const std::uint32_t family = family_of(event);
    if (count[family] < kMinRepeats || (any && event.start_ns < inside_until_ns)) continue;
    any = true;
    inside_until_ns = event.end_ns;
    RepeatedRows& rows = found[family];
    const std::uint32_t kind = kind_of(trace, event);
    if (std::ranges::find(rows.names, kind) == rows.names.end()) rows.names.push_back(kind);
    const NameFacts& facts = trace.names[event.name].facts;
    rows.fetches = facts.data_wait;
    rows.optimizer =
        facts.optimizer && trace.names[event.name].text.find(".zero_grad") == std::string::npos;
    rows.spans.push_back(span_of(event));
  }
  std::vector<RepeatedRows> all;
  for (auto& [family, rows] : found) {
    if (std::ssize(rows.spans) >= kMinRepeats) all.push_back(std::move(rows));
  }
  std::ranges::stable_sort(all, {},
                           [](const RepeatedRows& rows) { return rows.spans.front().begin_ns; });
  return all;
}

// "'step[DECODE bs=#]' or 'step[EXTEND bs=#]'"
std::string quoted_names(const Trace& trace, const RepeatedRows& rows) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, rows.names.size()); ++i) {
    text += (i == 0 ? "'" : " or '") + short_row_name(trace.names[rows.names[i]].text) + "'";
  }
  if (rows.names.size() > kShown) {
    text += formatted(" or {} more names", rows.names.size() - kShown);
  }
  return text;
}

// "; between them lie 4 rows 'validate'": rows of families that do not occur in every step.
std::string rows_between(const Trace& trace, const std::vector<RepeatedRows>& all,
                         const RepeatedRows& steps) {
  std::string text;
  for (const RepeatedRows& rows : all) {
    if (&rows == &steps || rows.spans.size() % steps.spans.size() == 0) continue;
    text += formatted("{}{} {}", text.empty() ? "; between them lie " : ", ",
                      text::counted(std::ssize(rows.spans), "row"), quoted_names(trace, rows));
  }
  return text;
}

// From the first to the last row of a thread's ops and annotations.
std::optional<TimeSpan> span_of_rows(const Trace& trace, const TraceLane& lane) {
  std::optional<TimeSpan> whole;
  for (const TraceEvent& event : lane.events) {
    if (is_host_op(trace, event)) widen(whole, span_of(event));
  }
  return whole;
}

Steps steps_between(const std::vector<std::int64_t>& borders, const RepeatedRows& of,
                    std::int64_t end_ns, WindowKind window, std::string reason) {
  Steps found;
  found.window = window;
  found.reason = std::move(reason);
  auto mark = of.spans.begin();  // both are in ascending order
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const TimeSpan at = {borders[i], i + 1 < borders.size() ? borders[i + 1] : end_ns};
    while (mark != of.spans.end() && mark->begin_ns < at.begin_ns) ++mark;
    const bool holds = mark != of.spans.end() && mark->begin_ns < at.end_ns;
    found.steps.push_back({.number = std::int64_t(i), .mark = holds ? *mark : at, .window = at});
  }
  std::erase_if(found.steps, [](const Step& step) { return step.window.length_ns() <= 0; });
  return found;
}

std::vector<std::int64_t> starts_of(const RepeatedRows& rows) {
  std::vector<std::int64_t> starts;
  for (const TimeSpan& span : rows.spans) starts.push_back(span.begin_ns);
  return starts;
}

// A step of several batches begins with the first batch after the previous optimizer step.
std::vector<std::int64_t> starts_after(const RepeatedRows& fetches, const RepeatedRows& optimizer) {
  std::vector<std::int64_t> starts = {fetches.spans.front().begin_ns};
  auto fetch = fetches.spans.begin();
  for (const TimeSpan& step : optimizer.spans) {
    while (fetch != fetches.spans.end() && fetch->begin_ns < step.end_ns) ++fetch;
    if (fetch == fetches.spans.end()) break;
    if (fetch->begin_ns > starts.back()) starts.push_back(fetch->begin_ns);
  }
  return starts;
}

template <typename Chosen>
const RepeatedRows* most(const std::vector<RepeatedRows>& all, const Chosen& chosen) {
  const RepeatedRows* found = nullptr;
  for (const RepeatedRows& rows : all) {
    if (!chosen(rows)) continue;
    if (found == nullptr || rows.total_ns() > found->total_ns()) found = &rows;
  }
  return found;
}

// Number of a thread's rows other than steps and Python frames.
std::size_t rows_of_work(const Trace& trace, const TraceLane& lane) {
  return std::size_t(std::ranges::count_if(lane.events, [&](const TraceEvent& event) {
    return is_call(event.kind) || is_host_op(trace, event);
  }));
}

// The host thread that runs steps: the one that fetches data, else that runs an optimizer, else
// that has annotations, else the busiest, autograd's excluded. kNoIndex: no rows.
std::uint32_t step_thread(const Trace& trace) {
  std::uint32_t best = ops::kNoIndex;
  ThreadSigns signs_of_best;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    if (trace.lanes[i].kind != LaneKind::kHost) continue;
    const ThreadSigns signs = signs_of(trace, trace.lanes[i]);
    if (signs.rows == 0) continue;
    if (best == ops::kNoIndex || signs.rank() > signs_of_best.rank()) {
      best = i;
      signs_of_best = signs;
    }
  }
  return best;
}

// Infers steps from repeated rows of that thread: an optimizer's, data fetches, other annotations.
// `loading`: data fetches only. Returns no steps if nothing repeats three times.
Steps repeated_steps(const Timeline& timeline, std::uint32_t lane, bool loading) {
  const Trace& trace = *timeline.trace;
  Steps none;
  none.lane = lane;
  if (lane == ops::kNoIndex) return none;
  const std::vector<RepeatedRows> all = repeated_rows(trace, trace.lanes[lane]);
  const std::optional<TimeSpan> own = span_of_rows(trace, trace.lanes[lane]);
  const RepeatedRows* fetches = most(all, [](const RepeatedRows& rows) { return rows.fetches; });
  const RepeatedRows* optimizer =
      most(all, [](const RepeatedRows& rows) { return rows.optimizer; });
  std::int64_t end_ns = own ? own->end_ns : 0;
  for (const WorkRow& row : timeline.work) end_ns = std::max(end_ns, row.event->end_ns);

  Steps found;
  if (fetches != nullptr) {
    const bool several =
        !loading && optimizer != nullptr && optimizer->spans.size() < fetches->spans.size();
    const std::vector<std::int64_t> starts =
        several ? starts_after(*fetches, *optimizer) : starts_of(*fetches);
    found = steps_between(
        starts, *fetches, end_ns, WindowKind::kLoading,
        several && starts.size() < fetches->spans.size()
            ? "the trace has no ProfilerStep rows: each step begins with the first data fetch "
              "after an optimizer step"
            : "the trace has no ProfilerStep rows: each step begins with a data fetch");
  } else if (!loading) {
    const RepeatedRows* longest = most(all, [&](const RepeatedRows& rows) {
      const double covered = double(rows.spans.back().begin_ns - rows.spans.front().begin_ns);
      return covered >= kMinCovered * double(own->length_ns());
    });
    // Among "forward", "backward" and "update", a step begins with the first.
    for (const RepeatedRows& rows : all) {
      if (longest == nullptr || rows.spans.size() != longest->spans.size()) continue;
      if (rows.spans.front().begin_ns < longest->spans.front().begin_ns) longest = &rows;
    }
    if (longest != nullptr) {
      found = steps_between(
          starts_of(*longest), *longest, end_ns, WindowKind::kMarks,
          formatted("the trace has no ProfilerStep rows: each step begins with a row {}{}",
                    quoted_names(trace, *longest), rows_between(trace, all, *longest)));
    }
  }
  if (std::ssize(found.steps) < kMinRepeats) return none;
  found.lane = lane;
  return found;
}

// The trace as one step, from its first host op or device row to the last; marks only the ops.
Steps one_step(const Timeline& timeline, std::uint32_t lane) {
  const Trace& trace = *timeline.trace;
  Steps found;
  found.lane = lane;
  std::optional<TimeSpan> host;
  // Annotations may extend beyond the recorded span, so they count only if there are no ops.
  const auto add_host = [&](EventKind kind) {
    for (const TraceLane& each : trace.host_lanes()) {
      for (const TraceEvent& event : each.events) {
        if (event.kind == kind && is_host_op(trace, event)) widen(host, span_of(event));
      }
    }
  };
  add_host(EventKind::kOp);
  if (!host) add_host(EventKind::kAnnotation);
  std::optional<TimeSpan> whole = host;
  for (const WorkRow& row : timeline.work) widen(whole, span_of(*row.event));
  found.window = host ? WindowKind::kHostSpan : WindowKind::kDeviceSpan;
  found.reason = host ? "the trace has no ProfilerStep rows, and no row that repeats with each "
                        "step: the whole trace is taken as one step"
                      : "the trace has neither ProfilerStep rows nor host ops: its device rows "
                        "are taken as one step";
  if (whole && whole->length_ns() > 0) {
    found.steps.push_back({.mark = host.value_or(*whole), .window = *whole});
  } else {
    found.reason = "the trace has neither steps nor ops nor device rows";
  }
  return found;
}

Steps from_marks(const Timeline& timeline, std::uint32_t lane) {
  const Trace& trace = *timeline.trace;
  Steps found;
  found.lane = lane;
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
  std::ranges::transform(steps, windows.begin(), [](const Step& step) { return step.window; });
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
  const Trace& trace = *timeline.trace;
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

void fold_counting_names(const Steps& steps, Timeline& timeline) {
  const Trace& trace = *timeline.trace;
  std::map<std::uint32_t, std::int64_t> names;  // key: folded name
  for (const TraceName& name : trace.names) {
    if (name.folded != ops::kNoIndex) ++names[name.folded];
  }
  if (names.empty()) return;
  std::map<std::uint32_t, std::int64_t> rows;
  for (const TraceLane& lane : trace.host_lanes()) {
    for (const TraceEvent& event : lane.events) {
      const std::uint32_t folded = trace.names[event.name].folded;
      if (folded != ops::kNoIndex) ++rows[folded];
    }
  }
  timeline.shown_names.resize(trace.names.size());
  std::iota(timeline.shown_names.begin(), timeline.shown_names.end(), 0U);
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::uint32_t folded = trace.names[i].folded;
    if (folded == ops::kNoIndex) continue;
    if (2 * rows[folded] <= names[folded] * std::ssize(steps.steps)) {
      timeline.shown_names[i] = folded;
    }
  }
}

}  // namespace stepbench::traces
