// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/steps.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>

#include <string>
#include <utility>
#include <vector>

#include "workloads/step/gradient_sync.h"
#include "workloads/step/internal/checkpoint.h"
#include "workloads/step/internal/mixed_precision.h"
#include "workloads/step/internal/model_step.h"
#include "workloads/step/internal/optimizer.h"
#include "workloads/step/internal/step_graph.h"

namespace stepbench::step {
namespace {

// Creates the initial gradient as Python does; C++'s default has another layout.
void run_backward(const at::Tensor& loss) {
  loss.backward(at::ones_like(loss, {}, at::MemoryFormat::Preserve));
}

// Copies a model's parameters and buffers on its device, to restore them later.
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
  // The model's tensor and its copy.
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;
};

class TrainStep : public ModelStep {
 public:
  using ModelStep::ModelStep;

 protected:
  void prepare() override;
  void run(StepRecorder& step) override;
  void end() override {
    if (checkpoint_) checkpoint_->finish();
  }

  // Everything before the backward pass; `forward` computes the model's output from its input.
  template <typename Forward>
  [[nodiscard]] at::Tensor loss_of_step(const transfer::BatchTensors& batch, bool first,
                                        StepRecorder& step, const Forward& forward);
  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) {
    return scaler_ ? scaler_->scale(loss) : loss;
  }
  void update();
  void after_step(StepRecorder& step) {
    if (checkpoint_) checkpoint_->after_step(step, [this] { return state(); });
  }
  [[nodiscard]] virtual bool writes_checkpoints() const { return true; }

 private:
  void window_edge(Edge edge) override {
    if (checkpoint_) checkpoint_->window(edge);
  }
  void report_own(ReportSink& sink) const override {
    if (checkpoint_) checkpoint_->report(sink);
  }
  Fingerprint score(const transfer::BatchTensors& fixed) override;
  void capture();
  void replay(StepRecorder& step);
  void micro_batch(StepRecorder& step, bool first);
  [[nodiscard]] at::Tensor loss_of(const transfer::BatchTensors& batch);
  void train(StepRecorder& step);
  [[nodiscard]] NamedTensors state();

  std::unique_ptr<Optimizer> optimizer_;
  std::optional<GradScaler> scaler_;  // fp16 only
  transfer::BatchTensors static_;     // input of the graph
  std::unique_ptr<StepGraph> graph_;  // model.cuda_graph only
  std::optional<Checkpoint> checkpoint_;
};

void TrainStep::prepare() {
  optimizer_ = make_optimizer(resolved(), model().parameters());
  if (options().autocast == at::kHalf) scaler_.emplace(options().device);
  if (options().cuda_graph) capture();
  if (resolved().integer("checkpoint.every") > 0 && writes_checkpoints()) {
    checkpoint_.emplace(resolved(), options().device, clock());
  }
}

// Undoes the runs that a capture needs, so that the fingerprint equals that of a step without a
// graph.
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
  const transfer::BatchTensors batch = next_batch(step);
  const auto replay = step.phase(PhaseId::kGraphReplay);
  static_.input.copy_(batch.input);
  static_.target.copy_(batch.target);
  graph_->replay();
}

void TrainStep::run(StepRecorder& step) {
  graph_ ? replay(step) : train(step);
  after_step(step);
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
  const transfer::BatchTensors batch = next_batch(step);
  const at::Tensor scored = loss_of_step(
      batch, first, step, [this](const at::Tensor& input) { return model_output(input); });
  const auto backward = step.phase(PhaseId::kBackward);
  run_backward(scaled(scored));
}

template <typename Forward>
at::Tensor TrainStep::loss_of_step(const transfer::BatchTensors& batch, bool first,
                                   StepRecorder& step, const Forward& forward) {
  if (first) {
    const auto zero_grad = step.phase(PhaseId::kZeroGrad);
    optimizer_->zero_grad(options().set_to_none);
  }
  const AutocastScope autocast(options().device.type(), options().autocast);
  at::Tensor output, target;
  {
    const auto phase = step.phase(PhaseId::kForward);
    const transfer::BatchTensors tensors = loss().prepare(batch);
    target = tensors.target;
    output = forward(tensors.input);
  }
  const auto scoring = step.phase(PhaseId::kLoss);
  const at::Tensor scored = loss()(output, target);
  return options().accumulate > 1 ? scored / options().accumulate : scored;
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

at::Tensor TrainStep::loss_of(const transfer::BatchTensors& batch) {
  const AutocastScope autocast(options().device.type(), options().autocast);
  const transfer::BatchTensors tensors = loss().prepare(batch);
  return loss()(model_output(tensors.input), tensors.target);
}

Fingerprint TrainStep::score(const transfer::BatchTensors& fixed) {
  optimizer_->zero_grad(true);
  const at::Tensor scored = loss_of(fixed);
  run_backward(scored);
  return {.loss = scored.item<double>(),
          .gradient_norm = gradient_norm(optimizer_->parameters()).item<double>()};
}

class GroupTrainStep final : public TrainStep {
 public:
  GroupTrainStep(const ResolvedCase& resolved, WorkerContext& context, GradientSyncMaker make_sync)
      : TrainStep(resolved, context), context_(context), make_sync_(std::move(make_sync)) {}

 private:
  void prepare() override {
    TrainStep::prepare();
    sync_ = make_sync_(resolved(), context_, model(), options().device);
  }
  void run(StepRecorder& step) override {
    for (std::int64_t i = 0; i < options().accumulate; ++i) {
      micro_batch(step, {.first = i == 0, .last = i + 1 == options().accumulate});
    }
    sync_->after_backward(step);
    {
      const auto optimizer = step.phase(PhaseId::kOptimizer);
      update();
    }
    after_step(step);
  }
  void micro_batch(StepRecorder& step, MicroBatch which) {
    const transfer::BatchTensors batch = next_batch(step);
    const at::Tensor scored = loss_of_step(batch, which.first, step, [&](const at::Tensor& input) {
      sync_->before_forward(which);
      return model_output(input);
    });
    const auto backward = step.phase(PhaseId::kBackward);
    sync_->before_backward(scored, which);
    run_backward(scaled(scored));
  }
  void end() override {
    sync_.reset();
    TrainStep::end();
  }
  [[nodiscard]] bool writes_checkpoints() const override { return context_.rank == 0; }

  WorkerContext& context_;
  GradientSyncMaker make_sync_;
  std::unique_ptr<GradientSync> sync_;
};

}  // namespace

std::unique_ptr<Workload> make_group_train_step(const ResolvedCase& resolved,
                                                WorkerContext& context,
                                                GradientSyncMaker make_sync) {
  return std::make_unique<GroupTrainStep>(resolved, context, std::move(make_sync));
}

std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<TrainStep>(resolved, context);
}

}  // namespace stepbench::step
