// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/train_step.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include "harness/error.h"
#include "workloads/data/make_dataset.h"
#include "workloads/loader/batch_stream.h"
#include "workloads/loader/make_loader.h"
#include "workloads/model/model.h"
#include "workloads/step/autocast.h"
#include "workloads/step/device.h"
#include "workloads/step/fixed_batch.h"
#include "workloads/step/loss.h"
#include "workloads/step/optimizer.h"
#include "workloads/step/step_options.h"
#include "workloads/step/torch_errors.h"
#include "workloads/torch_loader/epoch_order.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {
namespace {

constexpr std::int64_t kFingerprintSamples = 4;

class TrainStep final : public Workload {
 public:
  TrainStep(const ResolvedCase& resolved, WorkerContext& context)
      : resolved_(resolved), context_(context), options_(step_options(resolved)) {}

  std::optional<std::string> set_up() override {
    return with_torch_errors([this] { return build(); });
  }
  void step(StepRecorder& step) override {
    with_torch_errors([&] { train(step); });
  }
  void window(Edge edge) override;
  void synchronize() override { synchronize_device(options_.device); }
  void tear_down() override;
  Fingerprint fingerprint() override {
    return with_torch_errors([this] { return score_fixed_batch(); });
  }
  void report(ReportSink& sink) const override;

 private:
  std::optional<std::string> build();
  void train(StepRecorder& step);
  Fingerprint score_fixed_batch();
  void micro_batch(StepRecorder& step, bool first);
  at::Tensor model_output(const at::Tensor& input);

  ResolvedCase resolved_;
  WorkerContext& context_;
  StepOptions options_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<Loader> loader_;
  std::optional<BatchStream> stream_;
  std::optional<Transfer> transfer_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::int64_t parameter_count_ = 0;
  std::optional<DeviceMemory> memory_;  // of the last window
};

std::optional<std::string> TrainStep::build() {
  // The loader comes first: its workers must be forked before anything initialises CUDA.
  dataset_ = make_dataset(resolved_);
  const LoaderOptions loader = loader_options(resolved_);
  EpochOrder order = torch_epoch_order({.size = dataset_->size(),
                                        .shuffle = loader.shuffle,
                                        .seed = loader.seed,
                                        .persistent_workers = loader.persistent_workers});
  loader_ = make_loader(*dataset_, resolved_, std::move(order), context_);
  stream_.emplace(*loader_, context_);

  const std::vector<FieldSpec>& fields = dataset_->fields();
  if (fields.size() < 2) {
    throw ConfigError("data.kind", "training needs a target, and this data set has one field only");
  }
  if (auto reason = device_unavailable(options_.device)) return reason;
  at::manual_seed(options_.seed);
  model_ = make_model(resolved_,
                      {.input = fields[0], .target = fields[1], .classes = dataset_->classes()});
  model_->to(options_.device, options_.memory_format);
  parameter_count_ = parameter_count(*model_);
  optimizer_ = make_optimizer(resolved_, model_->parameters());
  transfer_.emplace(resolved_, options_.device);
  return std::nullopt;
}

void TrainStep::train(StepRecorder& step) {
  for (std::int64_t i = 0; i < options_.accumulate; ++i) micro_batch(step, i == 0);
  const auto optimizer = step.phase(PhaseId::kOptimizer);
  if (options_.clip_norm > 0) clip_gradients(optimizer_->parameters(), options_.clip_norm);
  optimizer_->step();
}

void TrainStep::micro_batch(StepRecorder& step, bool first) {
  const Batch batch = stream_->next(step);
  const BatchTensors tensors = transfer_->to_device(batch, step);
  if (first) {
    const auto zero_grad = step.phase(PhaseId::kZeroGrad);
    optimizer_->zero_grad(options_.set_to_none);
  }
  if (tensors.input.scalar_type() == at::kLong) step.add(Count::kTokens, tensors.input.numel());
  at::Tensor loss;
  {
    const AutocastScope autocast(options_.device.type(), options_.autocast);
    at::Tensor output;
    {
      const auto forward = step.phase(PhaseId::kForward);
      output = model_output(tensors.input);
    }
    const auto scoring = step.phase(PhaseId::kLoss);
    loss = cross_entropy(output, tensors.target);
    if (options_.accumulate > 1) loss = loss / options_.accumulate;
  }
  const auto backward = step.phase(PhaseId::kBackward);
  loss.backward();
}

// Bytes become floats between 0 and 1, and images take the model's layout, as a training loop would
// do it.
at::Tensor TrainStep::model_output(const at::Tensor& input) {
  at::Tensor x = input;
  if (x.scalar_type() == at::kByte) x = x.to(at::kFloat).div_(255.0);
  if (x.dim() == 4) x = x.contiguous(options_.memory_format);
  return model_->forward(x);
}

void TrainStep::window(Edge edge) {
  stream_->window(edge);
  if (edge == Edge::kBegin) {
    reset_peak_memory(options_.device);
  } else {
    memory_ = device_memory(options_.device);
  }
}

void TrainStep::tear_down() {
  transfer_.reset();
  stepbench::tear_down(loader_, context_);
}

Fingerprint TrainStep::score_fixed_batch() {
  Transfer transfer(resolved_, options_.device);
  const BatchTensors tensors =
      transfer.to_device(read_fixed_batch(*dataset_, kFingerprintSamples, options_.seed));
  optimizer_->zero_grad(true);
  at::Tensor loss;
  {
    const AutocastScope autocast(options_.device.type(), options_.autocast);
    loss = cross_entropy(model_output(tensors.input), tensors.target);
  }
  loss.backward();
  return {.loss = loss.item<double>(),
          .gradient_norm = gradient_norm(optimizer_->parameters()).item<double>()};
}

void TrainStep::report(ReportSink& sink) const {
  stream_->report(sink);
  sink.effective("device", options_.device.str());
  sink.metric("model_parameters", static_cast<double>(parameter_count_));
  if (memory_) {
    sink.metric("peak_allocated_bytes", static_cast<double>(memory_->peak_allocated_bytes));
    sink.metric("peak_reserved_bytes", static_cast<double>(memory_->peak_reserved_bytes));
  }
}

}  // namespace

std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<TrainStep>(resolved, context);
}

}  // namespace stepbench
