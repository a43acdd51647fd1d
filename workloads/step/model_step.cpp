// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/model_step.h"

#include <ATen/Context.h>

#include <algorithm>
#include <numeric>

#include "harness/base/error.h"
#include "workloads/data/file_digest.h"
#include "workloads/data/make_dataset.h"
#include "workloads/loader/loader_report.h"
#include "workloads/loader/make_loader.h"
#include "workloads/step/fixed_batch.h"
#include "workloads/step/flop_counter.h"
#include "workloads/step/model_work.h"
#include "workloads/step/own_model.h"
#include "workloads/step/torch_errors.h"
#include "workloads/torch_loader/epoch_order.h"
#include "workloads/torch_loader/pinned.h"
#include "workloads/torch_loader/torch_cpp_loader.h"

namespace stepbench {
namespace {

constexpr std::int64_t kFingerprintSamples = 4;

}  // namespace

std::optional<std::string> ModelStep::set_up() {
  return with_torch_errors([this] { return build(); });
}

// A border lies at the same place of a step again after as many steps as join whole epochs.
std::int64_t ModelStep::steps_per_epoch() const {
  const std::int64_t batches = std::max<std::int64_t>(0, loader_->batches_per_epoch());
  return batches / std::gcd(batches, options_.accumulate);
}

bool ModelStep::borders_inside_epochs() const {
  return loader_->batches_per_epoch() % options_.accumulate != 0;
}

void ModelStep::step(StepRecorder& step) {
  step_samples_ = 0;
  with_torch_errors([&] { run(step); });
  largest_step_samples_ = std::max(largest_step_samples_, step_samples_);
  if (memory_) ++memory_->steps;
}

std::optional<std::string> ModelStep::build() {
  // The loader comes first: its workers must be forked before anything initialises CUDA.
  dataset_ = make_dataset(resolved_);
  page_cache_.prepare(*dataset_);
  const LoaderOptions loader = loader_options(resolved_);
  EpochOrder order = torch_order(*dataset_, loader);
  pinned_ = pinned_memory(options_.device);
  if (resolved_.text("transfer.placement") == "pin_thread" && options_.device.is_cuda()) {
    upload_ = std::make_unique<PinThreadUpload>(make_upload_stream(options_.device));
  }
  loader_ = make_loader(*dataset_, resolved_, std::move(order), context_, torch_engines(),
                        pinned_.get(), upload_.get());
  stream_.emplace(*loader_, context_);
  if (dataset_->fields().size() < 2) {
    throw ConfigError("data.kind",
                      "a model step needs a target, and this data set has one field only");
  }
  if (resolved_.text("loader.engine") == "fork") stream_->begin();
  if (auto reason = device_unavailable(options_.device)) return reason;
  at::globalContext().setAllowTF32CuBLAS(options_.tf32);
  at::globalContext().setAllowTF32CuDNN(options_.tf32);
  at::globalContext().setBenchmarkCuDNN(options_.cudnn_benchmark);
  transfer_.emplace(resolved_, options_.device);
  if (transfer_->upstream()) keep_data_on_device();
  if (upload_) transfer_->take_from(*upload_);
  build_model();
  prepare();
  return std::nullopt;
}

void ModelStep::keep_data_on_device() {
  if (dataset_->iterable() != nullptr) {
    throw ConfigError("transfer.placement", "upstream needs a data set of known size");
  }
  const LoaderOptions loader = loader_options(resolved_);
  transfer_->keep_resident(
      std::make_unique<ResidentBatches>(read_fixed_batch(*dataset_, dataset_->size(), loader.seed),
                                        options_.device, loader, torch_order(*dataset_, loader)));
}

void ModelStep::build_model() {
  const std::vector<FieldSpec>& fields = dataset_->fields();
  const DataShape data{.input = fields[0], .target = fields[1], .classes = dataset_->classes()};
  // TorchScript's executor keeps what it made of its first runs: a copy is tried, and dropped.
  const bool scripted = resolved_.text("model.kind") == "torchscript";
  if (scripted) {
    try_on_samples(*make_model(resolved_, data), data);
    release_cached_memory(options_.device);
  }
  at::manual_seed(options_.seed);
  model_ = make_model(resolved_, data);
  model_->to(options_.device, options_.memory_format);
  parameter_count_ = parameter_count(*model_);
  loss_.emplace(resolved_, data.classes);
  if (!is_own_model(resolved_)) return;
  model_digest_ = file_digest(resolved_.text("model.path"));
  if (!scripted) try_on_samples(*model_, data);
}

void ModelStep::try_on_samples(Model& model, const DataShape& data) {
  model.to(options_.device, options_.memory_format);
  const Batch samples = read_fixed_batch(*dataset_, kFingerprintSamples, options_.seed);
  try_own_model(resolved_, model, data, transfer_->to_device(samples),
                [this](Model& tried, const at::Tensor& input) { return output_of(tried, input); });
}

BatchTensors ModelStep::next_batch(StepRecorder& step) {
  BatchTensors tensors = transfer_->next([&] { return stream_->next(step); }, step);
  transfer_->marks().put_on(step);
  step_samples_ += tensors.input.size(0);
  if (tensors.input.scalar_type() == at::kLong) step.add(Count::kTokens, tensors.input.numel());
  return tensors;
}

BatchTensors ModelStep::full_batch() {
  const std::int64_t size = resolved_.integer("loader.batch_size");
  return transfer_->to_device(read_fixed_batch(*dataset_, size, options_.seed));
}

at::Tensor ModelStep::output_of(Model& model, const at::Tensor& input) const {
  at::Tensor x = input;
  if (x.scalar_type() == at::kByte) x = x.to(at::kFloat).div_(255.0);
  if (x.dim() == 4) x = x.contiguous(options_.memory_format);
  return model.forward(x);
}

// Where the data set is smaller than a batch, no step is full.
std::int64_t ModelStep::samples_per_step() const {
  if (largest_step_samples_ > 0) return largest_step_samples_;
  return resolved_.integer("loader.batch_size") * resolved_.integer("model.accumulate");
}

void ModelStep::steps_done() { stream_->window(Edge::kEnd); }

void ModelStep::window(Edge edge) {
  if (edge == Edge::kBegin) stream_->window(edge);
  if (upload_) with_torch_errors([&] { upload_->window(edge); });
  if (edge == Edge::kBegin && module_listener != nullptr)
    module_listener->names(model_->module_names());
  if (edge == Edge::kBegin) {
    reset_peak_memory(options_.device);
    memory_.reset();
    if (const auto begin = device_memory(options_.device))
      memory_ = AllocatorWindow{.begin = *begin};
  } else if (memory_) {
    memory_->end = device_memory(options_.device).value_or(memory_->begin);
  }
}

void ModelStep::tear_down() {
  transfer_.reset();
  stepbench::tear_down(loader_, context_);
}

Fingerprint ModelStep::fingerprint() {
  return with_torch_errors([this] {
    const Batch batch = read_fixed_batch(*dataset_, kFingerprintSamples, options_.seed);
    const FlopCounter counter;
    const Fingerprint fingerprint = score(transfer_->to_device(batch));
    flops_per_sample_ = static_cast<double>(counter.flops()) / kFingerprintSamples;
    return fingerprint;
  });
}

void ModelStep::report(ReportSink& sink) const {
  stream_->report(sink, resolved_);
  report_idle_readers(*dataset_, loader_options(resolved_).num_workers, context_.world, sink);
  if (page_cache_.effective()) sink.effective("data.page_cache", *page_cache_.effective());
  if (pinned_ && pinned_->peak_bytes() > 0)
    sink.metric("loader_pinned_bytes", static_cast<double>(pinned_->peak_bytes()));
  if (const auto copy_ns = upload_ ? upload_->device_ns() : std::nullopt)
    sink.metric("upload_device_ns", *copy_ns);
  sink.effective("device", options_.device.str());
  sink.effective("data.digest", dataset_->digest());
  if (options_.device.is_cuda()) {
    sink.effective("model.cudnn_benchmark", at::globalContext().benchmarkCuDNN());
    sink.effective("model.tf32_matmul", at::globalContext().allowTF32CuBLAS());
    sink.effective("model.tf32_convolution", at::globalContext().allowTF32CuDNN());
  }
  // Another build of a plug-in may be what is compared; other content of a model file is not.
  if (!model_digest_.empty()) {
    const bool plugin = resolved_.text("model.kind") == "plugin";
    sink.effective(plugin ? "model.plugin_build" : "model.digest", model_digest_);
  }
  if (resolved_.text("model.kind") == "torchscript") {
    sink.note(
        "TorchScript is legacy: PyTorch deprecates it, and its executor compiles during the first "
        "steps, so that it needs a longer warm-up than the same model in C++");
  }
  sink.metric("model_parameters", static_cast<double>(parameter_count_));
  report_model_work(resolved_, flops_per_sample_ * static_cast<double>(samples_per_step()),
                    options_.device.is_cuda(), sink);
  if (memory_) stepbench::report(*memory_, sink);
}

}  // namespace stepbench
