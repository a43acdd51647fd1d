// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/eval_step.h"

#include <ATen/core/grad_mode.h>

#include <limits>

#include "workloads/step/autocast.h"
#include "workloads/step/model_step.h"

namespace stepbench {
namespace {

class EvalStep final : public ModelStep {
 public:
  using ModelStep::ModelStep;

 private:
  void prepare() override { model().train(false); }
  void run(StepRecorder& step) override {
    const BatchTensors tensors = next_batch(step);
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    const auto forward = step.phase(PhaseId::kForward);
    (void)model_output(tensors.input);
  }
  Fingerprint score(const BatchTensors& fixed) override {
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    const BatchTensors tensors = loss().prepare(fixed);
    return {.loss = loss()(model_output(tensors.input), tensors.target).item<double>(),
            .gradient_norm = std::numeric_limits<double>::quiet_NaN()};
  }
};

}  // namespace

std::unique_ptr<Workload> make_eval_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<EvalStep>(resolved, context);
}

}  // namespace stepbench
