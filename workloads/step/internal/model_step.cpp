// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/model_step.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "harness/base/error.h"
#include "harness/machine/cpu_findings.h"
#include "harness/machine/environment.h"
#include "workloads/data/data_files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/python_parts.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/step/internal/flop_counter.h"
#include "workloads/step/internal/model_work.h"
#include "workloads/step/internal/own_model.h"
#include "workloads/step/torch_runtime.h"
#include "workloads/transfer/torch_loader.h"
#include "workloads/transfer/torch_order.h"

namespace stepbench::step {

// The same batch for every loader setting, for the fingerprint.

// The first `size` samples of a data set, read as in epoch 0 but without a loader; a smaller data
// set is repeated. The same for every loader setting.
[[nodiscard]] Batch read_fixed_batch(const data::Dataset& dataset, std::int64_t size,
                                     std::uint64_t seed);

Batch read_fixed_batch(const data::Dataset& dataset, std::int64_t size, std::uint64_t seed) {
  if (dataset.size() == 0) throw Error("the data set is empty");
  if (auto own = dataset.first_batch(size, seed)) return std::move(*own);
  auto memory = std::make_shared<std::vector<std::unique_ptr<std::byte[]>>>();
  Batch batch{.fields = {}, .size = size, .owner = memory};
  for (const FieldSpec& field : dataset.fields()) {
    const std::size_t bytes = field.bytes() * static_cast<std::size_t>(size);
    batch.fields.push_back(
        {memory->emplace_back(std::make_unique<std::byte[]>(bytes)).get(), field});
  }
  const data::SampleLengths* lengths = dataset.lengths();
  const auto length_of = [&](std::int64_t i) { return lengths->of(i % dataset.size(), seed); };
  if (lengths != nullptr) {
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < size; ++i) longest = std::max(longest, length_of(i));
    set_length(batch, lengths->padded(longest));
    batch.padding = 0;
  }
  const std::unique_ptr<data::Dataset::Scratch> scratch = dataset.make_scratch();
  const data::IterableDataset* iterable = dataset.iterable();
  const std::unique_ptr<data::SampleStream> stream =
      iterable != nullptr ? iterable->stream({.seed = seed}) : nullptr;
  data::ReadCost cost;
  std::vector<std::byte*> slots(batch.fields.size());
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::size_t f = 0; f < slots.size(); ++f) {
      slots[f] = batch.fields[f].data + static_cast<std::size_t>(i) * batch.fields[f].spec->bytes();
    }
    if (stream) {
      if (!stream->next(slots, cost))
        throw Error("the data set has fewer samples than a fixed batch");
      continue;
    }
    dataset.read({.index = i % dataset.size(), .seed = seed, .epoch = 0}, slots, *scratch, cost);
    if (lengths == nullptr) continue;
    const std::int64_t padded = batch.fields[0].spec->shape[0];
    data::put_padding(slots, length_of(i), padded);
    *batch.padding += padded - length_of(i);
  }
  return batch;
}

namespace {

constexpr std::int64_t kFingerprintSamples = 4;

ModelStepOptions step_options(const ResolvedCase& resolved) {
  ModelStepOptions options;
  options.device = parse_device(resolved.text("device"));
  const std::string& precision = resolved.text("model.precision");
  if (precision == "bf16") options.autocast = c10::ScalarType::BFloat16;
  if (precision == "fp16") options.autocast = c10::ScalarType::Half;
  options.tf32 = precision == "tf32";
  options.cuda_graph = resolved.flag("model.cuda_graph");
  options.cudnn_benchmark = resolved.flag("model.cudnn_benchmark");
  options.deterministic = resolved.flag_or("model.deterministic", false);
  if (resolved.text("model.memory_format") == "channels_last") {
    options.memory_format = c10::MemoryFormat::ChannelsLast;
  }
  options.seed = static_cast<std::uint64_t>(resolved.integer("seed"));
  options.accumulate = resolved.integer_or("model.accumulate", options.accumulate);
  options.clip_norm = resolved.number_or("optimizer.clip_norm", options.clip_norm);
  options.set_to_none = resolved.flag_or("optimizer.set_to_none", options.set_to_none);
  return options;
}

}  // namespace

ModelStep::ModelStep(const ResolvedCase& resolved, WorkerContext& context)
    : resolved_(resolved),
      clock_(context.clock),
      options_(step_options(resolved)),
      python_(context.python),
      pipeline_(resolved_, context, transfer::torch_order, transfer::torch_engines()) {}

std::optional<std::string> ModelStep::set_up() {
  return with_torch_errors([this] { return build(); });
}

// Number of steps after which epoch borders are at the same place within a step again.
std::int64_t ModelStep::steps_per_epoch() const {
  const std::int64_t batches = pipeline_.batches_per_epoch();
  return batches / std::gcd(batches, options_.accumulate);
}

bool ModelStep::borders_inside_epochs() const {
  return pipeline_.batches_per_epoch() % options_.accumulate != 0;
}

void ModelStep::step(StepRecorder& step) {
  step_samples_ = 0;
  with_torch_errors([&] { run(step); });
  largest_step_samples_ = std::max(largest_step_samples_, step_samples_);
  if (memory_) ++memory_->steps;
}

std::optional<std::string> ModelStep::build() {
  // Before any user code, which may change the current folder.
  if (is_own_model(resolved_)) model_digest_ = data::file_digest(resolved_.text("model.path"));
  // The loader comes first: its workers must be forked before anything initialises CUDA.
  if (transfer::placement_of(resolved_).kind == transfer::PlacementKind::kPinThread &&
      options_.device.is_cuda()) {
    upload_ =
        std::make_unique<transfer::PinThreadUpload>(transfer::make_upload_stream(options_.device));
  }
  pipeline_.open(transfer::pinned_memory(options_.device), upload_.get());
  if (pipeline_.dataset().fields().size() < 2) {
    throw ConfigError("data.kind",
                      "a model step needs a target, and this data set has one field only");
  }
  if (auto reason = device_unavailable(options_.device)) return reason;
  at::globalContext().setAllowTF32CuBLAS(options_.tf32);
  at::globalContext().setAllowTF32CuDNN(options_.tf32);
  at::globalContext().setBenchmarkCuDNN(options_.cudnn_benchmark);
  at::globalContext().setDeterministicCuDNN(options_.deterministic);
  at::globalContext().setDeterministicAlgorithms(options_.deterministic, /*warn_only=*/false);
  transfer_.emplace(resolved_, options_.device);
  if (transfer_->upstream()) keep_data_on_device();
  if (upload_) transfer_->take_from(*upload_);
  build_model();
  prepare();
  return std::nullopt;
}

void ModelStep::keep_data_on_device() {
  const data::Dataset& dataset = pipeline_.dataset();
  if (dataset.iterable() != nullptr) {
    throw ConfigError("transfer.placement", "upstream needs a data set of known size");
  }
  const loader::LoaderOptions& loader = pipeline_.options();
  if (loader.batch_size == 0) {
    throw ConfigError(
        "loader.batch_size",
        "null hands out the batches of the data set, and transfer.placement: upstream "
        "makes them itself; give their size");
  }
  transfer_->keep_resident(std::make_unique<transfer::ResidentBatches>(
      read_fixed_batch(dataset, dataset.size(), loader.seed), options_.device, loader,
      pipeline_.order()));
}

void ModelStep::build_model() {
  const data::Dataset& dataset = pipeline_.dataset();
  const std::vector<FieldSpec>& fields = dataset.fields();
  const DataShape data{.input = fields[0], .target = fields[1], .classes = dataset.classes()};
  // TorchScript's executor specialises on its first runs, so the trial uses a copy.
  const bool scripted = resolved_.text("model.kind") == "torchscript";
  if (scripted) {
    try_on_samples(*make_model(resolved_, data, python_), data);
    release_cached_memory(options_.device);
  }
  at::manual_seed(options_.seed);
  model_ = make_model(resolved_, data, python_);
  model_->to(options_.device, options_.memory_format);
  parameter_count_ = parameter_count(*model_);
  loss_.emplace(resolved_, data.classes);
  if (!is_own_model(resolved_)) return;
  if (!scripted) try_on_samples(*model_, data);
}

void ModelStep::try_on_samples(Model& model, const DataShape& data) {
  model.to(options_.device, options_.memory_format);
  for (const std::int64_t size : batch_sizes_to_try()) {
    const Batch samples = read_fixed_batch(pipeline_.dataset(), size, options_.seed);
    try_own_model(
        resolved_, model, data, transfer_->to_device(samples),
        [this](Model& tried, const at::Tensor& input) { return output_of(tried, input); });
  }
}

// A compiled model may only take batches of one size.
std::int64_t ModelStep::fingerprint_samples() const {
  return resolved_.text("model.kind") == "aoti" ? full_batch_size() : kFingerprintSamples;
}

// If items are batches, their size is unknown until they arrive.
std::int64_t ModelStep::full_batch_size() const {
  const std::int64_t size = pipeline_.options().batch_size;
  return size > 0 ? size : kFingerprintSamples;
}

// torch.compile would assume dynamic sizes if the first batch had another size.
std::vector<std::int64_t> ModelStep::batch_sizes_to_try() const {
  const bool compiled = resolved_.text("model.kind") == "aoti";
  const bool python = resolved_.text("model.kind") == "python";
  const std::int64_t full = full_batch_size();
  std::vector<std::int64_t> sizes = {compiled || python ? full : kFingerprintSamples};
  if (!compiled || pipeline_.dataset().iterable() != nullptr) return sizes;
  const std::int64_t last = pipeline_.dataset().size() % full;
  const bool comes =
      resolved_.text("loader.epochs") == "separate" && !resolved_.flag("loader.drop_last");
  if (comes && last > 0) sizes.push_back(last);
  return sizes;
}

transfer::BatchTensors ModelStep::next_batch(StepRecorder& step) {
  transfer::BatchTensors tensors = transfer_->next([&] { return pipeline_.next(step); }, step);
  transfer_->marks().put_on(step);
  step_samples_ += tensors.input.size(0);
  if (tensors.input.scalar_type() == at::kLong) {
    step.add(Count::kTokens, tokens_of(tensors.input) - transfer_->marks().padding);
  }
  return tensors;
}

transfer::BatchTensors ModelStep::full_batch() {
  const std::int64_t size = full_batch_size();
  return transfer_->to_device(read_fixed_batch(pipeline_.dataset(), size, options_.seed));
}

at::Tensor ModelStep::output_of(Model& model, const at::Tensor& input) const {
  at::Tensor x = input;
  if (x.scalar_type() == at::kByte) x = x.to(at::kFloat).div_(255.0);
  if (x.dim() == 4) x = x.contiguous(options_.memory_format);
  return model.forward(x);
}

// If the data set is smaller than a batch, no step is full.
std::int64_t ModelStep::samples_per_step() const {
  if (largest_step_samples_ > 0) return largest_step_samples_;
  return full_batch_size() * resolved_.integer("model.accumulate");
}

void ModelStep::window(Edge edge) {
  pipeline_.window(edge);
  window_edge(edge);
  if (upload_) with_torch_errors([&] { upload_->window(edge); });
  if (edge == Edge::kBegin && module_listener != nullptr)
    module_listener->names(model_->module_names());
  mark_memory(edge, options_.device, memory_);
}

void ModelStep::tear_down() {
  transfer_.reset();
  pipeline_.tear_down();
  end();
}

Fingerprint ModelStep::fingerprint() {
  return with_torch_errors([this] {
    const std::int64_t samples = fingerprint_samples();
    const Batch batch = read_fixed_batch(pipeline_.dataset(), samples, options_.seed);
    const FlopCounter counter;
    const Fingerprint fingerprint = score(transfer_->to_device(batch));
    // The counter misses fused kernels of a compiled model. With samples of different lengths,
    // FLOPs per sample depend on the padding of the batch.
    if (resolved_.text("model.kind") != "aoti" && pipeline_.dataset().lengths() == nullptr) {
      flops_per_sample_ = static_cast<double>(counter.flops()) / static_cast<double>(samples);
    }
    return fingerprint;
  });
}

void ModelStep::report(ReportSink& sink) const {
  pipeline_.report(sink);
  if (const auto copy_ns = upload_ ? upload_->device_ns() : std::nullopt)
    sink.metric("upload_device_ns", *copy_ns);
  sink.effective("device", options_.device.str());
  sink.effective("data.digest", pipeline_.dataset().digest());
  if (options_.device.is_cuda()) {
    sink.effective("model.cudnn_benchmark", at::globalContext().benchmarkCuDNN());
    sink.effective("model.tf32_matmul", at::globalContext().allowTF32CuBLAS());
    sink.effective("model.tf32_convolution", at::globalContext().allowTF32CuDNN());
  }
  if (options_.deterministic) {
    sink.effective("model.deterministic", at::globalContext().deterministicAlgorithms());
  }
  // Builds of a plug-in may be compared with each other; contents of a model file may not.
  if (!model_digest_.empty()) {
    const bool plugin = resolved_.text("model.kind") == "plugin";
    const std::string code = model_->digest();
    sink.effective(plugin ? "model.plugin_build" : "model.digest",
                   code.empty() ? model_digest_ : code);
  }
  if (resolved_.text("model.kind") == "torchscript") {
    sink.note(
        "TorchScript is legacy: PyTorch deprecates it, and its executor compiles during the first "
        "steps, so that it needs a longer warm-up than the same model in C++");
  }
  if (!options_.device.is_cuda()) {
    auto finding =
        machine::emulated_precision(resolved_.text("model.precision"), machine::cpu_features("/"));
    if (finding) sink.finding(std::move(*finding));
    auto crowded = machine::crowded_threads(at::get_num_threads(), machine::cores_in_affinity("/"));
    if (crowded) sink.finding(std::move(*crowded));
  }
  sink.metric("model_parameters", static_cast<double>(parameter_count_));
  report_model_work(resolved_, flops_per_sample_ * static_cast<double>(samples_per_step()), sink);
  if (memory_) stepbench::cuda::report(*memory_, sink);
  report_own(sink);
}

}  // namespace stepbench::step
