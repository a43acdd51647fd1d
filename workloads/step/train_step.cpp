// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/train_step.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>

#include <string>
#include <utility>
#include <vector>

#include "workloads/step/autocast.h"
#include "workloads/step/checkpoint.h"
#include "workloads/step/grad_scaler.h"
#include "workloads/step/model_step.h"
#include "workloads/step/optimizer.h"
#include "workloads/step/step_graph.h"

namespace stepbench::step {
namespace {

// The gradient to begin with is made as Python makes it; what C++ would make has another layout.
void run_backward(const at::Tensor& loss) {
  loss.backward(at::ones_like(loss, {}, at::MemoryFormat::Preserve));
}

// A copy of a model's parameters and buffers, on its device, to go back to.
class ModelState {
 public:
  explicit ModelState(const Model& model) {
    for (const auto& [name, tensor] : model.state()) {
      tensors_.emplace_back(tensor, tensor.detach().clone());
    }
  }
  // In place.
  void restore() const {
    const at::NoGradGuard no_grad;
    for (const auto& [tensor, copy] : tensors_) tensor.copy_(copy);
  }

 private:
  // The model's own, and its copy.
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;
};

class TrainStep final : public ModelStep {
 public:
  using ModelStep::ModelStep;

 private:
  void prepare() override;
  void run(StepRecorder& step) override;
  void window_edge(Edge edge) override {
    if (checkpoint_) checkpoint_->window(edge);
  }
  void end() override {
    if (checkpoint_) checkpoint_->finish();
  }
  void report_own(ReportSink& sink) const override {
    if (checkpoint_) checkpoint_->report(sink);
  }
  Fingerprint score(const torch_loader::BatchTensors& fixed) override;
  void capture();
  void replay(StepRecorder& step);
  void micro_batch(StepRecorder& step, bool first);
  [[nodiscard]] at::Tensor loss_of(const torch_loader::BatchTensors& batch);
  void update();
  void train(StepRecorder& step);
  [[nodiscard]] NamedTensors state();

  std::unique_ptr<Optimizer> optimizer_;
  std::optional<GradScaler> scaler_;   // fp16 only
  torch_loader::BatchTensors static_;  // what the graph reads
  std::unique_ptr<StepGraph> graph_;   // model.cuda_graph only
  std::optional<Checkpoint> checkpoint_;
};

void TrainStep::prepare() {
  optimizer_ = make_optimizer(resolved(), model().parameters());
  if (options().autocast == at::kHalf) scaler_.emplace(options().device);
  if (options().cuda_graph) capture();
  if (resolved().integer("checkpoint.every") > 0) {
    checkpoint_.emplace(resolved(), options().device, clock());
  }
}

// The runs that a capture needs are taken back, so that the fingerprint is that of a step without
// a graph.
void TrainStep::capture() {
  static_ = full_batch();
  const ModelState before(model());
  graph_ = capture_graph(options().device, [this] {
    optimizer_->zero_grad(options().set_to_none);
    run_backward(loss_of(static_));
    update();
  });
  before.restore();
  optimizer_->reset();
  at::manual_seed(options().seed);
}

void TrainStep::replay(StepRecorder& step) {
  const torch_loader::BatchTensors batch = next_batch(step);
  const auto replay = step.phase(PhaseId::kGraphReplay);
  static_.input.copy_(batch.input);
  static_.target.copy_(batch.target);
  graph_->replay();
}

void TrainStep::run(StepRecorder& step) {
  graph_ ? replay(step) : train(step);
  if (checkpoint_) checkpoint_->after_step(step, [this] { return state(); });
}

NamedTensors TrainStep::state() {
  NamedTensors tensors = model().state();
  for (const at::Tensor& tensor : optimizer_->state()) {
    tensors.emplace_back("optimizer." + std::to_string(tensors.size()), tensor);
  }
  return tensors;
}

void TrainStep::train(StepRecorder& step) {
  for (std::int64_t i = 0; i < options().accumulate; ++i) micro_batch(step, i == 0);
  const auto optimizer = step.phase(PhaseId::kOptimizer);
  update();
}

void TrainStep::micro_batch(StepRecorder& step, bool first) {
  const torch_loader::BatchTensors batch = next_batch(step);
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
      const torch_loader::BatchTensors tensors = loss().prepare(batch);
      target = tensors.target;
      output = model_output(tensors.input);
    }
    const auto scoring = step.phase(PhaseId::kLoss);
    scored = loss()(output, target);
    if (options().accumulate > 1) scored = scored / options().accumulate;
  }
  const auto backward = step.phase(PhaseId::kBackward);
  run_backward(scaler_ ? scaler_->scale(scored) : scored);
}

void TrainStep::update() {
  const std::vector<at::Tensor>& parameters = optimizer_->parameters();
  const bool clip = options().clip_norm > 0;
  const bool scaled_step = scaler_ && optimizer_->takes_loss_scale();
  if (scaled_step && !clip) {
    scaler_->check(parameters);
  } else if (scaler_) {
    scaler_->unscale(parameters);
  }
  if (clip) clip_gradients(parameters, options().clip_norm);
  if (scaled_step) {
    LossScale scale{.factor = {}, .overflow = scaler_->overflow()};
    if (!clip) scale.factor = scaler_->factor();
    optimizer_->step(scale);
  } else if (!scaler_ || scaler_->finite()) {
    optimizer_->step();
  }
  if (scaler_) scaler_->update();
}

at::Tensor TrainStep::loss_of(const torch_loader::BatchTensors& batch) {
  const AutocastScope autocast(options().device.type(), options().autocast);
  const torch_loader::BatchTensors tensors = loss().prepare(batch);
  return loss()(model_output(tensors.input), tensors.target);
}

Fingerprint TrainStep::score(const torch_loader::BatchTensors& fixed) {
  optimizer_->zero_grad(true);
  const at::Tensor scored = loss_of(fixed);
  run_backward(scored);
  return {.loss = scored.item<double>(),
          .gradient_norm = gradient_norm(optimizer_->parameters()).item<double>()};
}

}  // namespace

std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<TrainStep>(resolved, context);
}

}  // namespace stepbench::step
