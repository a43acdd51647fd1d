// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"

#include "workloads/data/emulated_work.h"
#include "workloads/data/philox.h"
#include "workloads/loader/batch_marks.h"

namespace stepbench::loader {

std::optional<std::string> LoaderWorkload::set_up() {
  pipeline_.open(std::move(pinned_));
  return std::nullopt;
}

std::int64_t LoaderWorkload::steps_per_epoch() const {
  return pipeline_.batches_per_epoch() / batches_per_step_;
}

void LoaderWorkload::step(StepRecorder& step) {
  for (std::int64_t i = 0; i < batches_per_step_; ++i) {
    const Batch batch = pipeline_.next(step);
    BatchMarks(batch).put_on(step);
    if (batch.padding) step.add(Count::kTokens, batch.elements() - *batch.padding);
  }
  if (!loader_only_) emulated_.run(step);
}

namespace {

constexpr PhaseId kEmulated = declared_phase(0);
constexpr std::uint32_t kStepDraws = 20;  // Philox sequence

}  // namespace

Section emulated_section() {
  const Requires with_time{.option = "emulated.step_us",
                           .op = Requires::Op::kGreater,
                           .value = std::int64_t{0},
                           .doc = "needs a step that is emulated (step_us > 0)"};
  return {
      .name = "emulated",
      .doc =
          "A step of known time in place of a model: what must the loader feed, and does it? "
          "`data wait` and `AU` say how near it comes.",
      .selector = {},
      .options = {
          {.name = "step_us",
           .type = OptionType::kNumber,
           .doc = "Mean time of the step without its wait for data: what the model takes on the "
                  "accelerator that is not here. 0: none, so that the loader alone is measured.",
           .unit = "us",
           .default_value = 0.0,
           .min = 0,
           .max = 600e6,
           .identity_default = 0.0},
          {.name = "cv",
           .type = OptionType::kNumber,
           .doc = "Standard deviation of the step's time divided by its mean; a gamma "
                  "distribution, drawn from (seed, step), so it repeats exactly.",
           .default_value = 0.0,
           .min = 0,
           .max = 10,
           .identity_default = 0.0,
           .requires_ = with_time},
          {.name = "where",
           .type = OptionType::kEnum,
           .doc = "sleep: the training thread waits, as for an accelerator, and its core is the "
                  "workers'. spin: it computes, as a model on the CPU does.",
           .default_value = std::string{"sleep"},
           .choices = {"sleep", "spin"},
           .identity_default = std::string{"sleep"},
           .requires_ = with_time},
      }};
}

std::vector<Phase> emulated_phases() {
  return {{"emulated", "The step that stands for a model (emulated.step_us)."}};
}

EmulatedStep::EmulatedStep(const ResolvedCase& resolved)
    : mean_us_(resolved.number_or("emulated.step_us", 0)),
      cv_(resolved.number_or("emulated.cv", 0)),
      computes_(resolved.text_or("emulated.where", "sleep") == "spin"),
      seed_(static_cast<std::uint64_t>(resolved.integer_or("seed", 0))) {}

double EmulatedStep::time_us(std::uint64_t index) const {
  if (cv_ <= 0) return mean_us_;
  data::Philox random(seed_, index, kStepDraws);
  return mean_us_ * data::unit_gamma(random, 1 / (cv_ * cv_));
}

void EmulatedStep::run(StepRecorder& step) {
  if (mean_us_ <= 0) return;
  const auto scope = step.phase(kEmulated);
  const double us = time_us(index_++);
  computes_ ? data::spin_us(us) : data::sleep_exactly_us(us);
}

}  // namespace stepbench::loader
