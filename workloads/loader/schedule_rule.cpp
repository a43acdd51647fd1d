// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/schedule_rule.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "workloads/loader/cached_batches.h"

namespace stepbench::loader {
namespace {

constexpr std::int64_t kMinWindows = 11;  // minimum for active: auto

class ScheduleOfCase {
 public:
  explicit ScheduleOfCase(ResolvedCase& resolved) : resolved_(resolved) {}

  [[nodiscard]] bool automatic() const {
    return *resolved_.options.get("schedule.active") == Value(std::string("auto"));
  }
  [[nodiscard]] std::int64_t steps(const char* option) const {
    return resolved_.integer_or(option, 0);
  }
  void raise(const char* option, std::int64_t least) {
    if (steps(option) >= least) return;
    resolved_.options[option] = least;
    raised_ = true;
  }
  [[nodiscard]] bool raised() const { return raised_; }

 private:
  ResolvedCase& resolved_;
  bool raised_ = false;
};

// The warm-up must cover the batches that loader.alone: step keeps.
void fit_kept_batches(ResolvedCase& resolved, const RuleFacts& facts) {
  const std::int64_t cached_batches = cached_batch_count(resolved);
  if (cached_batches == 0 || facts.smoke || !resolved.has("schedule.active")) return;
  const std::int64_t of_a_step =
      std::max<std::int64_t>(1, resolved.integer_or("model.accumulate", 1));
  ScheduleOfCase(resolved).raise("schedule.warmup", cached_batches / of_a_step + 2);
}

}  // namespace

void fit_schedule(std::int64_t turns, ResolvedCase& resolved, const RuleFacts& facts,
                  RuleSink& sink) {
  if (resolved.has("loader.epochs") && resolved.text("loader.epochs") == "separate" &&
      !facts.smoke) {
    sink.note(
        "loader.epochs: separate: a window is whole epochs where one fits into it, and else lies "
        "between two borders, so that what they cost is not measured; each launch says which");
  }
  fit_kept_batches(resolved, facts);
  const std::int64_t workers = resolved.integer("loader.num_workers");
  const bool has_schedule = resolved.has("schedule.active");
  if (workers == 0 || facts.smoke || !has_schedule || !resolved.has("loader.prefetch_factor")) {
    return;
  }
  ScheduleOfCase schedule(resolved);
  const std::int64_t queue = workers * resolved.integer("loader.prefetch_factor");
  const std::int64_t refill = std::max(2 * queue + 2, schedule.steps("schedule.refill"));
  const std::int64_t block =
      std::lcm(workers, std::max<std::int64_t>(schedule.steps("schedule.block"), 1));
  resolved.options["schedule.block"] = block;
  resolved.options["schedule.refill"] = refill;

  const char* window = schedule.automatic() ? "schedule.window" : "schedule.active";
  const std::int64_t least = std::max(schedule.steps(window), turns * workers);
  schedule.raise(window, (least + block - 1) / block * block);
  if (schedule.automatic()) {
    schedule.raise("schedule.max_active", kMinWindows * schedule.steps(window));
  }
  const bool waits = schedule.steps("schedule.skip_first_wait") == 0;
  schedule.raise("schedule.warmup", refill - (waits ? schedule.steps("schedule.wait") : 0));
  if (!schedule.raised()) return;
  sink.plan_note(
      "the workers of a loader deliver in turns: where the file asks for less, `active` is raised "
      "to a multiple of num_workers, at least " +
      std::to_string(turns) +
      " times it, and wait + warmup to 2 * num_workers * prefetch_factor + 2");
}

void fit_loader_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  fit_schedule(24, resolved, facts, sink);
}

void fit_step_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  fit_schedule(6, resolved, facts, sink);
}

}  // namespace stepbench::loader
