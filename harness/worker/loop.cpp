// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop.h"

#include <string>

#include "harness/error.h"

namespace stepbench {

Loop::Loop(LoopOptions options, const Clock& clock, Workload& workload, InstrumentSet& instruments,
           std::vector<std::string> phase_names)
    : options_(options),
      clock_(clock),
      workload_(workload),
      instruments_(instruments),
      recorder_(clock),
      samples_(std::move(phase_names)) {}

void Loop::exercise() {
  samples_.prepare(1);
  (void)current_usage();
  recorder_.listeners(instruments_.all());
  recorder_.start_step(-1);
  for (PhaseId id : {PhaseId::kDataWait, PhaseId::kForward, PhaseId::kBackward}) {
    const auto phase = recorder_.phase(id);
  }
  samples_.append(recorder_.finish_step());
  (void)samples_.columns(clock_.now_ns());
  recorder_.listeners({});
}

LoopResult Loop::run(const OnStage& on_stage, const OnCycle& on_cycle) {
  try {
    for (std::int64_t step = 0;; ++step) {
      if (clock_.now_ns() >= options_.deadline_ns) {
        result_.reason = StopReason::kWallLimit;
        result_.truncated = true;
        break;
      }
      const Action action = action_at(options_.schedule, step);
      if (is_active(action) && !in_window_) {
        on_stage(true);
        instruments_.change(action);
        begin_window();
        in_window_ = true;
      } else {
        if (!is_active(action)) on_stage(false);
        instruments_.change(action);
      }
      recorder_.listeners(instruments_.listening());
      one_step(step);
      if (action == Action::kRecordAndSave) {
        end_window(on_cycle);
        in_window_ = false;
        if (stop_between_cycles()) break;
      }
    }
    instruments_.change(Action::kNone);
  } catch (...) {
    recorder_.listeners({});
    instruments_.unwind();
    throw;
  }
  recorder_.listeners({});
  if (result_.cycles == 0) {
    throw Error("the wall limit ended the launch before its first cycle was finished");
  }
  return result_;
}

void Loop::begin_window() {
  samples_.prepare(static_cast<std::size_t>(options_.schedule.active));
  workload_.synchronize();
  workload_.window(Edge::kBegin);
  usage_at_begin_ = current_usage();
}

void Loop::one_step(std::int64_t index) {
  recorder_.start_step(index);
  workload_.step(recorder_);
  if (options_.sync_each_step) workload_.synchronize();
  const StepRecorder::Step& step = recorder_.finish_step();
  if (in_window_) samples_.append(step);
}

void Loop::end_window(const OnCycle& on_cycle) {
  const std::int64_t end_ns = clock_.now_ns();
  result_.usage += current_usage() - usage_at_begin_;
  workload_.synchronize();
  workload_.window(Edge::kEnd);
  const Columns columns = samples_.columns(end_ns);
  result_.clock_ties += samples_.clock_ties();
  result_.active_steps += static_cast<std::int64_t>(samples_.size());
  ++result_.cycles;
  append_batch_means(columns.at("step_ns"), batch_means_);
  on_cycle(columns);
}

bool Loop::stop_between_cycles() {
  const Verdict verdict =
      stop_after(options_.stop, result_.cycles, result_.active_steps, batch_means_);
  result_.within_launch = verdict.interval;
  if (!workload_.all_ranks_stop(verdict.stop.has_value())) return false;
  result_.reason = verdict.stop.value_or(StopReason::kCount);
  return true;
}

}  // namespace stepbench
