// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/loop.h"

#include "harness/error.h"
#include "harness/protocol/messages.h"

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
  constexpr int kClockBurst = 64;  // pages in the vDSO
  for (int i = 0; i < kClockBurst; ++i) (void)clock_.now_ns();
  (void)current_usage();
  samples_.prepare(static_cast<std::size_t>(options_.schedule.active));
  recorder_.start_step(-1);
  for (std::size_t id = 0; id < static_cast<std::size_t>(PhaseId::kOther); ++id) {
    const auto phase = recorder_.phase(static_cast<PhaseId>(id));
  }
  samples_.append(recorder_.finish_step());
  const Columns columns = samples_.columns(clock_.now_ns());
  (void)protocol::encode(protocol::SamplesMessage{0, columns.names, columns.values});
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
    throw Error("limits.wall_s ended the launch before its first cycle was finished");
  }
  return result_;
}

void Loop::drive(const OnStage& on_stage, const OnCycle& on_cycle) {
  for (std::int64_t step = 0; clock_.now_ns() < options_.deadline_ns; ++step) {
    const Action action = action_at(options_.schedule, step);
    prepare(action, on_stage);
    one_step(step);
    ++result_.all_steps;
    if (action == Action::kRecordAndSave) {
      end_window(on_cycle);
      if (stop_between_cycles()) return;
    }
  }
  result_.reason = StopReason::kWallLimit;
  result_.truncated = true;
  if (in_window_) {
    workload_.synchronize();
    workload_.window(Edge::kEnd);
  }
}

// Inside a window this adds two comparisons to the step's period.
void Loop::prepare(Action action, const OnStage& on_stage) {
  if (in_window_) {
    instruments_.change(action);
    return;
  }
  on_stage(is_active(action));
  if (is_active(action)) workload_.synchronize();  // collectors begin on an idle device
  instruments_.change(action);
  recorder_.listeners(instruments_.listening());
  if (!is_active(action)) return;
  workload_.window(Edge::kBegin);
  in_window_ = true;
  usage_at_begin_ = current_usage();
}

void Loop::one_step(std::int64_t index) {
  recorder_.start_step(index);
  try {
    workload_.step(recorder_);
    if (options_.sync_each_step) workload_.synchronize();
  } catch (...) {
    (void)recorder_.finish_step();
    throw;
  }
  const StepRecorder::Step& step = recorder_.finish_step();
  if (in_window_) samples_.append(step);
}

void Loop::end_window(const OnCycle& on_cycle) {
  const std::int64_t end_ns = clock_.now_ns();
  in_window_ = false;
  result_.usage += current_usage() - usage_at_begin_;
  workload_.synchronize();
  workload_.window(Edge::kEnd);
  Columns columns = samples_.columns(end_ns);
  for (Instrument* instrument : instruments_.all()) instrument->add_columns(columns);
  result_.clock_ties += samples_.clock_ties();
  result_.active_steps += static_cast<std::int64_t>(samples_.size());
  ++result_.cycles;
  samples_.clear();
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
