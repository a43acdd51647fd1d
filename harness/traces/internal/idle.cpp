// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/idle.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/traces/internal/host_activity.h"

namespace stepbench::traces {
namespace {

// Limits how many devices are distinguished, which bounds the cost of a malformed file.
constexpr std::size_t kMaxIdleDevices = 64;

struct DeviceSets {
  IntervalSet compute;
  IntervalSet communication;
  IntervalSet copies;
};

DeviceSets device_sets(const Timeline& timeline, std::optional<int> device) {
  return {
      .compute = timeline.busy(
          device, [](const WorkRow& row) { return is_kernel(row) && !row.communication; }),
      .communication = timeline.busy(device, [](const WorkRow& row) { return row.communication; }),
      .copies = timeline.busy(device, [](const WorkRow& row) { return !is_kernel(row); })};
}

ByCause<IntervalSet> by_cause(IntervalSet rest, const HostActivity& host) {
  ByCause<IntervalSet> idle;
  for (std::size_t cause = 0; cause + 1 < kIdleCauses; ++cause) {
    idle[cause] = rest & host.explaining[cause];
    rest = rest - idle[cause];
  }
  idle.back() = std::move(rest);
  return idle;
}

constexpr std::size_t kMaxGaps = 8;

// Indices into Trace::names; equal names are the same place.
using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
struct PlaceHash {
  std::size_t operator()(const PlaceKey& key) const {
    constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15U;
    const auto& [name, call, annotation] = key;
    std::uint64_t mixed = ((std::uint64_t{name} << 32U) | call) * kHashMultiplier;
    mixed = (mixed ^ (mixed >> 29U) ^ annotation) * kHashMultiplier;
    return std::size_t(mixed ^ (mixed >> 32U));
  }
};

// Finds the step thread's rows around a gap. Examines a bounded number of rows.
void name_neighbours(const Trace& trace, const TraceLane& lane, IdleGap& gap) {
  constexpr std::ptrdiff_t kMaxLooks = 512;
  const std::vector<TraceEvent>& events = lane.events;
  const auto is_row = [&](const TraceEvent& event) {
    return is_call(event.kind) || is_host_op(trace, event);
  };
  const auto behind = std::ranges::partition_point(
      events, [&](const TraceEvent& event) { return event.start_ns < gap.at.end_ns; });
  const auto next =
      std::find_if(behind, behind + std::min(kMaxLooks, events.end() - behind), is_row);
  if (next != events.end() && is_row(*next)) gap.after = next->name;

  std::int64_t latest_ns = 0;
  auto at = behind;
  for (std::ptrdiff_t looks = 0; looks < kMaxLooks && at != events.begin(); ++looks) {
    --at;
    if (is_row(*at) && at->end_ns <= gap.at.begin_ns &&
        (gap.before == ops::kNoIndex || at->end_ns > latest_ns)) {
      latest_ns = at->end_ns;
      gap.before = at->name;
    }
  }
}

// The ops and calls into which idle time falls, and the gaps that nothing explains.
class IdlePlaces {
 public:
  IdlePlaces(const Timeline& timeline, const Steps& steps, const HostActivity& host)
      : timeline_(timeline), steps_(steps), host_(host), counted_(steps.counted_windows()) {
    if (steps.lane == ops::kNoIndex) return;
    const Trace& trace = *timeline.trace;
    const TraceLane& lane = trace.lanes[steps.lane];
    frames_ = PythonFrames(trace, lane);
    for (const TraceEvent& event : lane.events) {
      if (event.kind != EventKind::kAnnotation || !is_host_op(trace, event)) continue;
      const bool inside = !annotations_.empty() && event.start_ns < annotations_.back()->end_ns;
      if (!inside) annotations_.push_back(&event);
    }
  }

  // Adds places and gaps of the counted steps; `idle[cause]` is all idle time of that cause.
  void fill(const ByCause<IntervalSet>& idle, IdleReport& report) {
    for (std::size_t i = 0; i < kIdleCauses; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      const IntervalSet counted = idle[i] & counted_;
      if (cause == IdleCause::kOtherThread) {
        add_other_threads(cause, counted, report.places);
      } else if (cause == IdleCause::kBackward) {
        add_places(cause, counted & host_.main_backward, host_.stretches[IdleCause::kHostOp],
                   steps_.lane, report.places);
        add_other_threads(cause, counted - host_.main_backward, report.places);
      } else if (cause == IdleCause::kUnattributed) {
        add_functions(counted, report.places);
        add_gaps(counted, report);
      } else {
        add_places(cause, counted, host_.stretches[i], steps_.lane, report.places);
      }
    }
    std::ranges::stable_sort(report.places, [](const IdlePlace& a, const IdlePlace& b) {
      return std::tuple(a.cause, -a.idle_ns) < std::tuple(b.cause, -b.idle_ns);
    });
    name_started_work(report.places);
  }

 private:
  void add_places(IdleCause cause, const IntervalSet& idle, const std::vector<Stretch>& stretches,
                  std::uint32_t lane, std::vector<IdlePlace>& places) const {
    struct Known {
      std::size_t place = 0;
      const TraceEvent* last = nullptr;
    };
    std::unordered_map<PlaceKey, Known, PlaceHash> known;
    for_each_piece(
        idle, stretches, [](const Stretch& stretch) { return stretch.at; },
        [&](const TimeSpan& piece, std::size_t i) {
          const Stretch& stretch = stretches[i];
          const std::uint32_t annotation = annotation_at(piece.begin_ns);
          const auto [at, is_new] =
              known.try_emplace({stretch.name, stretch.call, annotation}, Known{places.size()});
          if (is_new) {
            places.push_back({.cause = cause,
                              .name = stretch.name,
                              .call = stretch.call,
                              .annotation = annotation == stretch.name ? ops::kNoIndex : annotation,
                              .lane = lane});
          }
          IdlePlace& place = places[at->second.place];
          place.idle_ns += piece.length_ns();
          if (stretch.row != at->second.last) ++place.rows;
          at->second.last = stretch.row;
          if (piece.length_ns() > place.longest.length_ns()) {
            place.longest = piece;
            place.longest_row = span_of(*stretch.row);
            place.longest_step = step_at(piece.begin_ns);
          }
        });
  }

  void add_other_threads(IdleCause cause, const IntervalSet& idle,
                         std::vector<IdlePlace>& places) const {
    IntervalSet rest = idle;
    for (const OtherThread& thread : host_.threads) {
      const IntervalSet own = rest & (cause == IdleCause::kBackward ? thread.backward : thread.set);
      add_places(cause, own, thread.stretches, thread.lane, places);
      rest = rest - own;
    }
    if (rest.empty()) return;
    places.push_back({.cause = cause, .idle_ns = rest.length_ns()});
  }

  [[nodiscard]] std::uint32_t annotation_at(std::int64_t at_ns) const {
    const auto found =
        window_at(annotations_, at_ns, [](const TraceEvent* row) { return span_of(*row); });
    return found ? timeline_.shown_name(*annotations_[*found]) : ops::kNoIndex;
  }

  // Adds places by Python function, if frames were recorded.
  void add_functions(const IntervalSet& idle, std::vector<IdlePlace>& places) {
    if (frames_.empty()) return;
    std::unordered_map<PlaceKey, std::size_t, PlaceHash> known;
    for (const TimeSpan& gap : idle) {
      const std::uint32_t annotation = annotation_at(gap.begin_ns);
      for (const PythonShare& share : frames_.shares_of(gap)) {
        const auto [at, is_new] =
            known.try_emplace({share.function, share.caller, annotation}, places.size());
        if (is_new) {
          places.push_back({.cause = IdleCause::kUnattributed,
                            .name = share.function,
                            .annotation = annotation,
                            .caller = share.caller,
                            .lane = steps_.lane});
        }
        IdlePlace& place = places[at->second];
        place.idle_ns += share.ns;
        ++place.rows;
        if (share.ns <= place.longest.length_ns()) continue;
        place.longest = gap;
        place.longest.end_ns = gap.begin_ns + share.ns;
        place.longest_row = share.row == nullptr ? gap : span_of(*share.row);
        place.longest_step = step_at(gap.begin_ns);
      }
    }
  }

  // Adds the name of the started work to calls: a kernel identifies the place better than its call.
  void name_started_work(std::vector<IdlePlace>& places) const {
    const std::vector<CallRow>& calls = timeline_.calls;
    std::unordered_map<std::uint32_t, std::size_t>
        place_of_call;  // key: index into Timeline::calls
    for (std::size_t i = 0; i < places.size(); ++i) {
      const IdlePlace& place = places[i];
      if (place.call == ops::kNoIndex) continue;
      auto call = std::ranges::partition_point(calls, [&](const CallRow& each) {
        return each.event->start_ns < place.longest_row.begin_ns;
      });
      for (; call != calls.end() && call->event->start_ns == place.longest_row.begin_ns; ++call) {
        if (call->event->lane != place.lane || call->event->name != place.call) continue;
        place_of_call.try_emplace(std::uint32_t(call - calls.begin()), i);
      }
    }
    if (place_of_call.empty()) return;
    for (const WorkRow& row : timeline_.work) {
      if (row.call == ops::kNoIndex || calls[row.call].work == 0) continue;
      const auto found = place_of_call.find(row.call);
      if (found != place_of_call.end() && places[found->second].work == ops::kNoIndex) {
        places[found->second].work = row.event->name;
      }
    }
  }

  void add_gaps(const IntervalSet& idle, IdleReport& report) {
    std::vector<TimeSpan> gaps = idle.intervals();
    const auto middle = gaps.begin() + std::min<std::ptrdiff_t>(kMaxGaps, std::ssize(gaps));
    std::partial_sort(gaps.begin(), middle, gaps.end(), [](const TimeSpan& a, const TimeSpan& b) {
      return std::tuple(-a.length_ns(), a.begin_ns) < std::tuple(-b.length_ns(), b.begin_ns);
    });
    for (auto at = gaps.begin(); at != middle; ++at) {
      IdleGap gap = {.at = *at, .step = step_at(at->begin_ns)};
      if (steps_.lane != ops::kNoIndex) {
        name_neighbours(*timeline_.trace, timeline_.trace->lanes[steps_.lane], gap);
      }
      if (!frames_.empty()) {
        const std::vector<PythonShare> shares = frames_.shares_of(gap.at);
        const auto most = std::ranges::max_element(shares, {}, &PythonShare::ns);
        gap.python = most->function;
        gap.caller = most->caller;
      }
      report.gaps.push_back(gap);
    }
  }

  [[nodiscard]] std::size_t step_at(std::int64_t at_ns) const {
    const auto after = std::ranges::partition_point(
        steps_.steps, [&](const Step& step) { return step.window.begin_ns <= at_ns; });
    return after == steps_.steps.begin() ? 0 : std::size_t(after - steps_.steps.begin()) - 1;
  }

  const Timeline& timeline_;
  const Steps& steps_;
  const HostActivity& host_;
  IntervalSet counted_;
  std::vector<const TraceEvent*> annotations_;  // outermost annotations of the step thread
  PythonFrames frames_;                         // the step thread's
};

class Attribution {
 public:
  Attribution(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline),
        steps_(steps),
        windows_(steps.windows()),
        wall_(windows_),
        host_(timeline, steps.lane),
        places_(timeline, steps, host_) {}

  IdleReport report(IdleScope scope, std::optional<int> device) {
    IdleReport out;
    out.scope = scope;
    out.device = device;
    out.steps.resize(windows_.size());
    for (std::size_t i = 0; i < windows_.size(); ++i)
      out.steps[i].wall_ns = windows_[i].length_ns();

    const DeviceSets sets =
        scope == IdleScope::kHost ? DeviceSets{} : device_sets(timeline_, device);
    const IntervalSet kernels = sets.compute | sets.communication;
    add(out, sets.compute, &StepTime::compute_ns);
    add(out, sets.communication - sets.compute, &StepTime::communication_ns);
    add(out, sets.copies - kernels, &StepTime::copy_ns);
    add(out, host_.explaining[IdleCause::kDataLoading], &StepTime::data_loading_ns);

    IntervalSet rest = wall_ - (kernels | sets.copies);
    note_longest(rest, out);
    const ByCause<IntervalSet> idle = by_cause(std::move(rest), host_);
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      const std::vector<std::int64_t> lengths = idle[cause].lengths_in(windows_);
      for (std::size_t i = 0; i < lengths.size(); ++i) out.steps[i].idle_ns[cause] = lengths[i];
    }
    for (StepTime& step : out.steps) {
      step.data_hidden_ns = step.data_loading_ns - step.data_exposed_ns();
    }
    for (const std::size_t i : steps_.counted()) out.counted += out.steps[i];
    places_.fill(idle, out);
    return out;
  }

 private:
  void note_longest(const IntervalSet& rest, IdleReport& out) const {
    const std::vector<std::size_t> counted = steps_.counted();
    std::size_t at = 0;
    for (const TimeSpan& span : rest) {
      while (at < counted.size() && windows_[counted[at]].end_ns <= span.begin_ns) ++at;
      if (at == counted.size()) return;
      if (span.length_ns() <= out.longest_idle.length_ns()) continue;
      if (!windows_[counted[at]].contains(span.begin_ns)) continue;
      out.longest_idle = span;
      out.longest_idle_step = counted[at];
    }
  }

  void add(IdleReport& out, const IntervalSet& set, std::int64_t StepTime::*part) const {
    const std::vector<std::int64_t> lengths = set.lengths_in(windows_);
    for (std::size_t i = 0; i < lengths.size(); ++i) out.steps[i].*part = lengths[i];
  }

  const Timeline& timeline_;
  const Steps& steps_;
  std::vector<TimeSpan> windows_;
  IntervalSet wall_;
  HostActivity host_;
  IdlePlaces places_;
};

}  // namespace

std::span<const StepPart> step_parts() {
  static constexpr std::array<StepPart, 3 + kIdleCauses> kParts = {{
      {"compute", [](const StepTime& step) { return step.compute_ns; }},
      {"communication", [](const StepTime& step) { return step.communication_ns; }},
      {"copy", [](const StepTime& step) { return step.copy_ns; }},
      {"idle_data_loading", [](const StepTime& step) { return step.of(IdleCause::kDataLoading); }},
      {"idle_synchronise", [](const StepTime& step) { return step.of(IdleCause::kSynchronise); }},
      {"idle_copy_call", [](const StepTime& step) { return step.of(IdleCause::kCopyCall); }},
      {"idle_launch", [](const StepTime& step) { return step.of(IdleCause::kLaunch); }},
      {"idle_backward", [](const StepTime& step) { return step.of(IdleCause::kBackward); }},
      {"idle_host_op", [](const StepTime& step) { return step.of(IdleCause::kHostOp); }},
      {"idle_other_thread", [](const StepTime& step) { return step.of(IdleCause::kOtherThread); }},
      {"idle_unattributed", [](const StepTime& step) { return step.of(IdleCause::kUnattributed); }},
  }};
  return kParts;
}

Summary IdleReport::summary(const Steps& of, std::int64_t (*part)(const StepTime&)) const {
  std::vector<std::int64_t> values;
  for (const std::size_t i : of.counted()) values.push_back(part(steps[i]));
  return summarise(values);
}

std::int64_t StepTime::idle_total_ns() const {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), std::int64_t{0});
}

StepTime& StepTime::operator+=(const StepTime& other) {
  wall_ns += other.wall_ns;
  compute_ns += other.compute_ns;
  communication_ns += other.communication_ns;
  copy_ns += other.copy_ns;
  for (std::size_t i = 0; i < kIdleCauses; ++i) idle_ns[i] += other.idle_ns[i];
  data_loading_ns += other.data_loading_ns;
  data_hidden_ns += other.data_hidden_ns;
  return *this;
}

std::vector<IdleReport> attribute_idle(const Timeline& timeline, const Steps& steps) {
  Attribution attribution(timeline, steps);
  std::vector<IdleReport> reports;
  if (timeline.devices.empty()) {
    reports.push_back(attribution.report(IdleScope::kHost, std::nullopt));
    return reports;
  }
  for (std::size_t i = 0; i < std::min(kMaxIdleDevices, timeline.devices.size()); ++i) {
    reports.push_back(attribution.report(IdleScope::kDevice, timeline.devices[i]));
  }
  if (timeline.devices.size() > 1) {
    reports.push_back(attribution.report(IdleScope::kAllDevices, std::nullopt));
  }
  return reports;
}

}  // namespace stepbench::traces
