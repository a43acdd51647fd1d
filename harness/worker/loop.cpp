// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop.h"

#include <algorithm>
#include <numeric>

#include "harness/base/error.h"
#include "harness/protocol/messages.h"

namespace stepbench::worker {
namespace {

// On the device's clock if it has event times, else on the host's.
std::int64_t window_ns(const Series& cycle, std::int64_t drained_ns) {
  const std::vector<std::int64_t>* period = cycle.find("period_device_ns");
  if (period == nullptr) return drained_ns;
  return std::accumulate(period->begin(), period->end(), std::int64_t{0});
}

}  // namespace

Loop::Loop(LoopOptions options, const Clock& clock, Workload& workload,
           measure::InstrumentSet& instruments, std::vector<std::string> phase_names)
    : options_(options),
      clock_(clock),
      workload_(workload),
      instruments_(instruments),
      recorder_(clock),
      samples_(std::move(phase_names)) {}

void Loop::exercise() {
  constexpr int kClockBurst = 64;  // to page in the vDSO
  for (int i = 0; i < kClockBurst; ++i) (void)clock_.now_ns();
  (void)os::current_usage();
  samples_.prepare(static_cast<std::size_t>(options_.schedule.active));
  recorder_.start_step(-1);
  for (std::size_t id = 0; id < static_cast<std::size_t>(PhaseId::kOther); ++id) {
    const auto phase = recorder_.phase(static_cast<PhaseId>(id));
  }
  samples_.append(recorder_.finish_step());
  (void)protocol::encode(record::CycleSamples{0, samples_.columns(clock_.now_ns())});
  samples_.clear();
}

LoopResult Loop::run(const OnStage& on_stage, const OnCycle& on_cycle) {
  try {
    drive(on_stage, on_cycle);
    instruments_.change(Action::kNone);
  } catch (...) {
    instruments_.unwind();
    throw;
  }
  if (result_.cycles == 0) {
    const schedule::Schedule& schedule = options_.schedule;
    throw Error("limits.wall_s ended the launch before its first cycle was finished: it has " +
                std::to_string(schedule.wait + schedule.warmup) + " steps of warm-up and " +
                std::to_string(schedule.active) + " measured ones, and " +
                std::to_string(result_.all_steps) +
                " steps were done; raise limits.wall_s, or lower schedule.active" +
                (options_.block_steps == 1
                     ? ""
                     : ", which grows with the " + std::to_string(options_.block_steps) +
                           " workers of the loader"));
  }
  return result_;
}

void Loop::drive(const OnStage& on_stage, const OnCycle& on_cycle) {
  for (std::int64_t step = 0; clock_.now_ns() < options_.deadline_ns; ++step) {
    const Action action = next_action(step);
    prepare(action, on_stage);
    one_step(step);
    ++result_.all_steps;
    if (action == Action::kRecordAndSave) {
      end_window(on_cycle);
      if (stop_between_cycles()) return;
    }
  }
  result_.reason = schedule::StopReason::kWallLimit;
  result_.truncated = true;
  if (in_window_) {
    workload_.steps_done();
    workload_.synchronize();
    workload_.window(Edge::kEnd);
  }
}

// Before a cycle's first step the device is drained and caches are prepared. From then to the
// window's end nothing waits if the device is timed by events, so that the window starts with the
// loader and the device's queue as the warm-up left them.
Action Loop::next_action(std::int64_t step) {
  if (in_window_) return schedule::action_at(options_.schedule, step - inserted_);
  if (step == 0) cycle_began_ns_ = clock_.now_ns();
  if (step < cycle_from_) return Action::kNone;
  const auto before_window = schedule::steps_to_window(options_.schedule, step - inserted_);
  if (before_window) {
    const std::int64_t more = schedule::steps_past_border(
        options_.epoch_steps, options_.schedule.active, step + *before_window);
    inserted_ += more;
    cycle_from_ = step + more;
    if (more > 0) return Action::kNone;
    workload_.synchronize();
    workload_.before_cycle();
    cycle_began_ns_ = clock_.now_ns();
    steps_of_cycle_ = 0;
  }
  return schedule::action_at(options_.schedule, step - inserted_);
}

// Costs two comparisons of the step's period inside a window.
void Loop::prepare(Action action, const OnStage& on_stage) {
  if (in_window_) {
    instruments_.change(action);
    return;
  }
  // If only the host is timed, the window must not include the warm-up's device work.
  const bool drained =
      schedule::is_active(action) && (options_.idle_device || !instruments_.any_times_the_device());
  if (drained) workload_.synchronize();
  on_stage({.active = schedule::is_active(action),
            .steps = schedule::is_active(action) ? options_.schedule.active : 0,
            .step_ns = known_step_ns(drained || options_.host_only),
            .host_only = options_.host_only});
  instruments_.change(action);
  recorder_.listeners(instruments_.listening());
  if (!schedule::is_active(action)) return;
  workload_.window(Edge::kBegin);
  in_window_ = true;
  usage_at_begin_ = os::current_usage();
}

void Loop::one_step(std::int64_t index) {
  recorder_.start_step(index);
  try {
    workload_.step(recorder_);
    if (options_.sync_each_step) {
      workload_.synchronize();
      recorder_.answered();
    }
  } catch (...) {
    (void)recorder_.finish_step();
    throw;
  }
  const StepRecorder::Step& step = recorder_.finish_step();
  if (in_window_) {
    samples_.append(step);
  } else {
    ++steps_of_cycle_;
  }
}

// `drained`: the device has finished all steps of this cycle so far.
std::int64_t Loop::known_step_ns(bool drained) const {
  std::int64_t known_ns = 0;
  if (drained && steps_of_cycle_ > 0) {
    known_ns = (clock_.now_ns() - cycle_began_ns_) / steps_of_cycle_;
  }
  if (window_means_.empty()) return known_ns;
  return std::max(known_ns, static_cast<std::int64_t>(window_means_.back()));
}

void Loop::end_window(const OnCycle& on_cycle) {
  const std::int64_t end_ns = clock_.now_ns();
  instruments_.window_ends();
  in_window_ = false;
  result_.usage += os::current_usage() - usage_at_begin_;
  workload_.steps_done();
  const std::int64_t drain_ns = clock_.now_ns();
  workload_.synchronize();
  const std::int64_t drained_ns = end_ns - samples_.begin_ns() + (clock_.now_ns() - drain_ns);
  workload_.window(Edge::kEnd);
  Series columns = samples_.columns(end_ns);
  for (Instrument* instrument : instruments_.all()) instrument->add_columns(columns);
  result_.clock_ties += samples_.clock_ties();
  result_.active_steps += static_cast<std::int64_t>(samples_.size());
  ++result_.cycles;
  samples_.clear();
  const std::int64_t whole_ns = window_ns(columns, drained_ns);
  result_.window_drained_ns += whole_ns;
  window_means_.push_back(static_cast<double>(whole_ns) / static_cast<double>(columns.steps()));
  on_cycle(columns);
}

bool Loop::stop_between_cycles() {
  const schedule::StopVerdict verdict =
      schedule::stop_after(options_.stop, result_.cycles, result_.active_steps, window_means_);
  result_.within_launch = verdict.interval;
  if (!workload_.all_ranks_stop(verdict.stop.has_value())) return false;
  result_.reason = verdict.stop.value_or(schedule::StopReason::kCount);
  return true;
}

}  // namespace stepbench::worker
