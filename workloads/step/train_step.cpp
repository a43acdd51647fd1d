// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/train_step.h"

#include "workloads/step/autocast.h"
#include "workloads/step/grad_scaler.h"
#include "workloads/step/model_step.h"
#include "workloads/step/optimizer.h"

namespace stepbench {
namespace {

class TrainStep final : public ModelStep {
 public:
  using ModelStep::ModelStep;

 private:
  void prepare() override;
  void run(StepRecorder& step) override;
  Fingerprint score(const BatchTensors& fixed) override;
  void micro_batch(StepRecorder& step, bool first);
  void update();

  std::unique_ptr<Optimizer> optimizer_;
  std::optional<GradScaler> scaler_;  // fp16 only
};

void TrainStep::prepare() {
  optimizer_ = make_optimizer(resolved(), model().parameters());
  if (options().autocast == at::kHalf) scaler_.emplace(options().device);
}

void TrainStep::run(StepRecorder& step) {
  for (std::int64_t i = 0; i < options().accumulate; ++i) micro_batch(step, i == 0);
  const auto optimizer = step.phase(PhaseId::kOptimizer);
  update();
}

void TrainStep::micro_batch(StepRecorder& step, bool first) {
  const BatchTensors batch = next_batch(step);
  if (first) {
    const auto zero_grad = step.phase(PhaseId::kZeroGrad);
    optimizer_->zero_grad(options().set_to_none);
  }
  at::Tensor scored;
  {
    const AutocastScope autocast(options().device.type(), options().autocast);
    at::Tensor output, target;
    {
      const auto forward = step.phase(PhaseId::kForward);
      const BatchTensors tensors = loss().prepare(batch);
      target = tensors.target;
      output = model_output(tensors.input);
    }
    const auto scoring = step.phase(PhaseId::kLoss);
    scored = loss()(output, target);
    if (options().accumulate > 1) scored = scored / options().accumulate;
  }
  const auto backward = step.phase(PhaseId::kBackward);
  (scaler_ ? scaler_->scale(scored) : scored).backward();
}

void TrainStep::update() {
  if (scaler_) scaler_->unscale(optimizer_->parameters());
  if (options().clip_norm > 0) clip_gradients(optimizer_->parameters(), options().clip_norm);
  if (!scaler_ || scaler_->finite()) optimizer_->step();
  if (scaler_) scaler_->update();
}

Fingerprint TrainStep::score(const BatchTensors& fixed) {
  optimizer_->zero_grad(true);
  at::Tensor scored;
  {
    const AutocastScope autocast(options().device.type(), options().autocast);
    const BatchTensors tensors = loss().prepare(fixed);
    scored = loss()(model_output(tensors.input), tensors.target);
  }
  scored.backward();
  return {.loss = scored.item<double>(),
          .gradient_norm = gradient_norm(optimizer_->parameters()).item<double>()};
}

}  // namespace

std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<TrainStep>(resolved, context);
}

}  // namespace stepbench
