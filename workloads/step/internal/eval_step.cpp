// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/steps.h"

#include <ATen/core/grad_mode.h>

#include "workloads/step/internal/mixed_precision.h"
#include "workloads/step/internal/model_step.h"
#include "workloads/step/internal/step_graph.h"

namespace stepbench::step {
namespace {

class EvalStep final : public ModelStep {
 public:
  using ModelStep::ModelStep;

 private:
  void prepare() override {
    model().train(false);
    if (!options().cuda_graph) return;
    static_input_ = full_batch().input;
    graph_ = capture_graph(options().device, [this] { forward(static_input_); });
  }
  void run(StepRecorder& step) override {
    const transfer::BatchTensors tensors = next_batch(step);
    if (graph_) {
      const auto replay = step.phase(PhaseId::kGraphReplay);
      static_input_.copy_(tensors.input);
      return graph_->replay();
    }
    const auto phase = step.phase(PhaseId::kForward);
    forward(tensors.input);
  }
  void forward(const at::Tensor& input) {
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    (void)model_output(input);
  }
  Fingerprint score(const transfer::BatchTensors& fixed) override {
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    const transfer::BatchTensors tensors = loss().prepare(fixed);
    return {.loss = loss()(model_output(tensors.input), tensors.target).item<double>()};
  }

  at::Tensor static_input_;           // input of the graph
  std::unique_ptr<StepGraph> graph_;  // model.cuda_graph only
};

}  // namespace

std::unique_ptr<Workload> make_eval_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<EvalStep>(resolved, context);
}

}  // namespace stepbench::step
