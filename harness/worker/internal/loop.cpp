// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/loop.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "harness/base/error.h"
#include "harness/base/format.h"
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

Loop::Loop(LoopOptions options, const Clock& clock, Workload& workload, InstrumentSet& instruments,
           std::vector<std::string> phase_names)
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
    throw Error(formatted(
        "limits.wall_s ended the launch before its first cycle was finished: it has {} steps of "
        "warm-up and {} measured ones, and {} steps were done; raise limits.wall_s, or lower "
        "schedule.active{}",
        schedule.wait + schedule.warmup, schedule.active, result_.all_steps,
        options_.block_steps == 1
            ? ""
            : formatted(", which grows with the {} workers of the loader", options_.block_steps)));
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
    if (const auto held = os::held_bytes(); held && held_at_begin_) {
      result_.held_growth_bytes = result_.held_growth_bytes.value_or(0) + *held - *held_at_begin_;
    }
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
  if (schedule::is_active(action)) held_at_begin_ = os::held_bytes();
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
  for (Instrument* instrument : instruments_.all()) instrument->device_wait_begins();
  const std::int64_t drain_ns = clock_.now_ns();
  workload_.synchronize();
  const std::int64_t drained_ns = end_ns - samples_.begin_ns() + (clock_.now_ns() - drain_ns);
  for (Instrument* instrument : instruments_.all()) instrument->device_wait_ends();
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

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMaxReservedS = 10;

std::int64_t count(const ResolvedCase& resolved, const char* option, std::int64_t smallest) {
  const std::int64_t value = resolved.integer(option);
  if (value < smallest) {
    throw Error(formatted("{} must be at least {}, is {}", option, smallest, value));
  }
  return value;
}

// For an option that older or foreign workers may lack.
std::int64_t count_or(const ResolvedCase& resolved, const char* option, std::int64_t smallest) {
  return resolved.has(option) ? count(resolved, option, smallest) : smallest;
}

std::int64_t all_steps(const schedule::Schedule& schedule) {
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  const std::int64_t no_wait = schedule.skip_first_wait == 0 ? 0 : schedule.wait;
  return schedule.skip_first + std::max<std::int64_t>(schedule.repeat, 1) * cycle - no_wait;
}

// Instruments are active in warm-up too, which only covers their first use and can be short.
constexpr std::int64_t kMaxInstrumentedWarmup = 10;

void profile_last_steps(const ResolvedCase& resolved, LoopOptions& out) {
  const schedule::Schedule timing = out.schedule;
  schedule::Schedule& schedule = out.schedule;
  schedule = {.wait = 0, .warmup = 0, .active = count(resolved, "profile.active", 1), .repeat = 1};
  const Value* warmup = resolved.options.get("profile.warmup");
  if (warmup != nullptr && std::holds_alternative<std::int64_t>(*warmup)) {
    schedule.warmup = count(resolved, "profile.warmup", 0);
  } else {
    const std::int64_t steps = all_steps(timing);
    schedule.active = std::min(schedule.active, std::max<std::int64_t>(timing.active, 1));
    schedule.warmup = std::min(kMaxInstrumentedWarmup, steps - schedule.active);
    schedule.skip_first = steps - schedule.active - schedule.warmup;
  }
  out.stop = {};
  out.stop.cycles = 1;
}

}  // namespace

LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns, Pass pass) {
  LoopOptions out;
  schedule::Schedule& schedule = out.schedule;
  schedule.wait = count(resolved, "schedule.wait", 0);
  schedule.warmup = count(resolved, "schedule.warmup", 0);
  schedule.repeat = count(resolved, "schedule.repeat", 0);
  schedule.skip_first = count(resolved, "schedule.skip_first", 0);
  schedule.skip_first_wait = count(resolved, "schedule.skip_first_wait", 0);
  out.stop.cycles = schedule.repeat;
  out.block_steps = count_or(resolved, "schedule.block", 1);
  out.epoch_steps.refill = count_or(resolved, "schedule.refill", 0);
  const Value* active = resolved.options.get("schedule.active");
  out.stop.automatic = active != nullptr && *active == Value(std::string("auto"));
  if (out.stop.automatic) {
    out.stop.precision = resolved.number("schedule.precision");
    out.stop.max_active = count(resolved, "schedule.max_active", 1);
    schedule.active = std::min(count(resolved, "schedule.window", 1), out.stop.max_active);
    schedule.repeat = 0;
  } else {
    schedule.active = count(resolved, "schedule.active", 1);
  }
  out.timing = schedule;
  if (is_profiling(pass)) profile_last_steps(resolved, out);
  out.idle_device = is_profiling(pass);
  out.host_only = resolved.text_or("device", "") == "cpu";
  out.sync_each_step = resolved.text("schedule.sync") == "step";
  // No rank may stop alone: the others would block in a collective.
  out.deadline_ns = std::numeric_limits<std::int64_t>::max();
  if (resolved.integer_or("distributed.ranks", 1) > 1) return out;
  const double wall_s = resolved.number("limits.wall_s");
  const double stepping_s = wall_s - std::min(wall_s / 10, kMaxReservedS);
  out.deadline_ns = launch_began_ns + static_cast<std::int64_t>(stepping_s * kNsPerSecond);
  return out;
}

void fit_to_epochs(std::int64_t per_epoch, LoopOptions& options, Pass pass) {
  options.epoch_steps.per_epoch = per_epoch;
  const schedule::Schedule& timing = is_profiling(pass) ? options.timing : options.schedule;
  const schedule::EpochFit fit = schedule::fit_epochs(options.epoch_steps, timing.active);
  if (fit.epochs == 0) return;
  options.epoch_steps.per_epoch = 0;
  if (is_profiling(pass)) {
    const std::int64_t more = fit.active - timing.active;
    const std::int64_t cycles = std::max<std::int64_t>(timing.repeat, 1);
    if (options.schedule.skip_first > 0) options.schedule.skip_first += cycles * more;
    return;
  }
  options.schedule.active = fit.active;
  options.epochs = fit.epochs;
}

}  // namespace stepbench::worker
