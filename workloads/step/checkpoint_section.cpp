// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/checkpoint_section.h"

#include <string>

namespace stepbench::step {
namespace {

constexpr const char* kEvery = "checkpoint.every";

}  // namespace

Section checkpoint_section() {
  const Requires with_checkpoints{.option = kEvery,
                                  .op = Requires::Op::kGreater,
                                  .value = std::int64_t{0},
                                  .doc = "needs checkpoints (every > 0)"};
  return {
      .name = "checkpoint",
      .doc =
          "Writing the state of training (parameters, buffers and what the optimizer keeps) in "
          "the middle of it, as a script does that may be interrupted.",
      .selector = {},
      .options = {
          {.name = "every",
           .type = OptionType::kInteger,
           .doc = "After so many steps the state is written, in the phase `checkpoint` of the "
                  "step; 0: never.",
           .unit = "steps",
           .default_value = std::int64_t{0},
           .min = 0,
           .identity_default = std::int64_t{0}},
          {.name = "path",
           .type = OptionType::kPath,
           .doc = "The folder to write to, on the disk that is to be measured. One file of this "
                  "launch, replaced each time and removed at the end.",
           .identity = Identity::kContext,
           .requires_ = with_checkpoints},
          {.name = "fsync",
           .type = OptionType::kBool,
           .doc = "Wait until it is on the disk. Without, as with torch.save, the kernel writes it "
                  "later.",
           .default_value = false,
           .identity_default = false,
           .requires_ = with_checkpoints},
          {.name = "async",
           .type = OptionType::kBool,
           .doc = "The step only copies the state; another thread writes the copy beside the next "
                  "steps. A checkpoint waits for the one before it.",
           .default_value = false,
           .identity_default = false,
           .requires_ = with_checkpoints},
      }};
}

std::vector<Phase> train_phases() {
  return {{"checkpoint", "Writing the state of training (checkpoint.every)."}};
}

std::vector<Metric> checkpoint_metrics() {
  return {{.name = "checkpoint_bytes",
           .unit = "bytes",
           .role = Role::kContext,
           .direction = Direction::kNeither,
           .doc = "A checkpoint's file.",
           .source = Source::kCounted,
           .exact = true},
          {.name = "checkpoint_block_ns",
           .unit = "ns",
           .doc = "What a checkpoint adds to the step that writes it; mean over the windows.",
           .source = Source::kHostClock},
          {.name = "checkpoint_bytes_per_s",
           .unit = "bytes/s",
           .direction = Direction::kHigherIsBetter,
           .doc = "A checkpoint's bytes over the time that it took to write them, beside the steps "
                  "with checkpoint.async; mean over the windows.",
           .source = Source::kHostClock}};
}

void check_checkpoint(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::int64_t every = resolved.integer_or(kEvery, 0);
  if (every == 0) return;
  if (resolved.text_or("checkpoint.path", "").empty()) {
    sink.error("checkpoint.path", "expected the folder to write to, e.g. /tmp");
  }
  if (facts.smoke) return;
  const Value* active = resolved.options.get("schedule.active");
  const bool automatic = active != nullptr && std::holds_alternative<std::string>(*active);
  const std::string option = automatic ? "schedule.window" : "schedule.active";
  const std::int64_t steps = resolved.integer_or(option, every);
  if (steps % every == 0) return;
  const std::int64_t next = (steps / every + 1) * every;
  sink.error(kEvery, "windows of " + std::to_string(steps) + " steps (" + option +
                         ") do not all hold as many checkpoints; give " + option +
                         " a multiple of " + std::to_string(every) + ", e.g. " +
                         std::to_string(next));
}

}  // namespace stepbench::step
