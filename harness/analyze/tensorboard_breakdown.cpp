// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/tensorboard.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/analyze/tensorboard_gpu.h"

namespace stepbench::analyze {
namespace {

// What the calls inside a step launched.
struct LaunchedWork {
  std::int64_t rows = 0;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
};

class TensorboardWindows {
 public:
  TensorboardWindows(const Timeline& timeline, const Steps& steps) : timeline_(timeline) {
    for (const Step& step : steps.steps) {
      out_.push_back({.number = step.number, .window = step.mark});
    }
    launched_.resize(out_.size());
  }

  Tensorboard windows() {
    join();
    Tensorboard result;
    if (any_) {
      move_to_device();
      const std::size_t kept = kept_steps();
      result.left_out = out_.size() - kept;
      out_.resize(kept);
    }
    result.steps = std::move(out_);
    return result;
  }

 private:
  // Device rows whose call lies whole inside a step, on any thread.
  void join() {
    std::vector<std::size_t> step_of_call(timeline_.calls.size(), out_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < step_of_call.size(); ++i) {
      const trace::TraceEvent& call = *timeline_.calls[i].event;
      while (at < out_.size() && out_[at].window.end_ns <= call.start_ns) ++at;
      if (at == out_.size()) break;
      const TimeSpan& step = out_[at].window;
      if (call.start_ns >= step.begin_ns && call.end_ns <= step.end_ns) step_of_call[i] = at;
    }
    joined_.resize(timeline_.work.size());
    for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
      const WorkRow& row = timeline_.work[i];
      if (row.call == ops::kNoIndex || step_of_call[row.call] == out_.size()) continue;
      LaunchedWork& launched = launched_[step_of_call[row.call]];
      ++launched.rows;
      launched.first_ns = std::min(launched.first_ns, row.event->start_ns);
      launched.last_ns = std::max(launched.last_ns, row.event->end_ns);
      joined_[i] = true;
      any_ = true;
    }
  }

  void move_to_device() {
    std::int64_t previous_ns = out_.front().window.begin_ns;
    if (launched_.front().rows > 0) {
      for (std::size_t i = 0; i < joined_.size(); ++i) {
        const std::int64_t end_ns = timeline_.work[i].event->end_ns;
        if (!joined_[i] && end_ns < launched_.front().first_ns) {
          previous_ns = std::max(previous_ns, end_ns);
        }
      }
    }
    for (std::size_t i = 0; i < out_.size(); ++i) {
      TimeSpan& window = out_[i].window;
      window.begin_ns = std::max(previous_ns, window.begin_ns);
      window.end_ns = std::max(window.end_ns, window.begin_ns);
      if (launched_[i].rows > 0) window.end_ns = std::max(window.end_ns, launched_[i].last_ns);
      previous_ns = window.end_ns;
    }
  }

  std::size_t kept_steps() const {
    constexpr double kMinRows = 0.8;  // of the step before
    std::size_t kept = out_.size();
    if (kept < 2) return kept;
    while (kept > 0 && launched_[kept - 1].rows == 0) --kept;
    if (kept >= 2 && kMinRows * static_cast<double>(launched_[kept - 2].rows) >
                         static_cast<double>(launched_[kept - 1].rows)) {
      --kept;
    }
    return kept;
  }

  const Timeline& timeline_;
  std::vector<TensorboardStep> out_;
  std::vector<LaunchedWork> launched_;
  std::vector<bool> joined_;  // by Timeline::work
  bool any_ = false;
};

// When each category had a row, in the order of the roles; of the whole process.
std::array<IntervalSet, kTensorboardRoles - 1> role_sets(const Timeline& timeline) {
  const trace::Trace& trace = *timeline.trace;
  std::array<std::vector<TimeSpan>, kTensorboardRoles - 1> spans;
  const auto add = [&](TensorboardRole role, const trace::TraceEvent& event) {
    std::vector<TimeSpan>& all = spans[static_cast<std::size_t>(role)];
    // Most rows lie inside the one before: they change nothing.
    if (!all.empty() && all.back().begin_ns <= event.start_ns &&
        event.end_ns <= all.back().end_ns) {
      return;
    }
    all.push_back(span_of(event));
  };
  for (const WorkRow& row : timeline.work) {
    add(row.communication ? TensorboardRole::kCommunication
        : is_kernel(row)  ? TensorboardRole::kKernel
        : is_copy(row)    ? TensorboardRole::kMemcpy
                          : TensorboardRole::kMemset,
        *row.event);
  }
  std::vector<bool> collective(trace.names.size());
  std::transform(trace.names.begin(), trace.names.end(), collective.begin(),
                 [](const trace::TraceName& name) { return is_collective(name.text); });
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    for (const trace::TraceEvent& event : lane.events) {
      if (event.kind == trace::EventKind::kRuntime) {
        add(TensorboardRole::kRuntime, event);
      } else if (is_host_op(trace, event)) {
        add(trace.names[event.name].facts.data_wait ? TensorboardRole::kDataLoader
            : collective[event.name]                ? TensorboardRole::kCommunication
                                                    : TensorboardRole::kCpuExec,
            event);
      }
    }
  }
  std::array<IntervalSet, kTensorboardRoles - 1> sets;
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = IntervalSet(std::move(spans[i]));
  return sets;
}

void share_out(const Timeline& timeline, Tensorboard& result) {
  std::vector<TimeSpan> windows;
  for (const TensorboardStep& step : result.steps) windows.push_back(step.window);
  IntervalSet rest(windows);
  const auto take = [&](std::size_t role, const IntervalSet& part) {
    const std::vector<std::int64_t> lengths = part.lengths_in(windows);
    for (std::size_t i = 0; i < lengths.size(); ++i) result.steps[i].ns[role] = lengths[i];
  };
  const auto sets = role_sets(timeline);
  for (std::size_t role = 0; role < sets.size(); ++role) {
    const IntervalSet part = rest & sets[role];
    rest = rest - part;
    take(role, part);
  }
  take(static_cast<std::size_t>(TensorboardRole::kOther), rest);

  const auto n = static_cast<double>(result.steps.size());
  for (const TensorboardStep& step : result.steps) {
    for (std::size_t role = 0; role < kTensorboardRoles; ++role) {
      result.mean_ns[role] += static_cast<double>(step.ns[role]) / n;
    }
    result.mean_total_ns += static_cast<double>(step.window.length_ns()) / n;
  }
}

}  // namespace

std::string_view name_of(TensorboardRole role) {
  constexpr std::array<std::string_view, kTensorboardRoles> kNames = {
      "Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other"};
  return kNames[static_cast<std::size_t>(role)];
}

ValueOrReason<Tensorboard> tensorboard_breakdown(const Timeline& timeline, const Steps& steps,
                                                 std::optional<double> eligible_share) {
  if (steps.steps.empty() || timeline.ops + timeline.annotations == 0) {
    return ValueOrReason<Tensorboard>::absent(
        "the trace has no op or annotation on the host, which the plug-in's steps rest on");
  }
  Tensorboard result = TensorboardWindows(timeline, steps).windows();
  share_out(timeline, result);
  add_gpu_metrics(timeline, result);
  result.eligible_share = eligible_share;
  return result;
}

}  // namespace stepbench::analyze
