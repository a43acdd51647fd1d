// SPDX-License-Identifier: Apache-2.0
// What training and evaluation steps share: a data set, its loader, the transfer and a model. Main
// thread only.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/workload.h"
#include "workloads/loader/loader_pipeline.h"
#include "workloads/model/model.h"
#include "workloads/step/device.h"
#include "workloads/step/loss.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {

// The options of sections model and optimizer that the step itself follows.
struct ModelStepOptions {
  c10::Device device{c10::kCPU};
  // nullopt: fp32 or tf32.
  std::optional<c10::ScalarType> autocast;
  bool tf32 = false;
  bool cuda_graph = false;
  bool cudnn_benchmark = false;
  bool deterministic = false;
  c10::MemoryFormat memory_format = c10::MemoryFormat::Contiguous;
  std::int64_t accumulate = 1;
  double clip_norm = 0;  // 0: no clipping
  bool set_to_none = true;
  std::uint64_t seed = 0;
};

class ModelStep : public Workload {
 public:
  ModelStep(const ResolvedCase& resolved, WorkerContext& context);

  std::optional<std::string> set_up() final;
  [[nodiscard]] std::int64_t steps_per_epoch() const final;
  [[nodiscard]] bool borders_inside_epochs() const final;
  void steps_done() final { pipeline_.steps_done(); }
  void before_cycle() final { pipeline_.before_cycle(); }
  void step(StepRecorder& step) final;
  void window(Edge edge) final;
  void synchronize() final { synchronize_device(options_.device); }
  void tear_down() final;
  Fingerprint fingerprint() final;
  void report(ReportSink& sink) const final;

 protected:
  // The parts that differ. Errors of torch become Error around them.
  virtual void prepare() {}  // the model stands on its device
  virtual void window_edge(Edge) {}
  virtual void end() {}  // the loader is gone; may throw
  virtual void report_own(ReportSink&) const {}
  virtual void run(StepRecorder& step) = 0;  // one step
  [[nodiscard]] virtual Fingerprint score(const torch_loader::BatchTensors& fixed) = 0;

  // What Count::kTokens counts of a batch of token ids.
  [[nodiscard]] virtual std::int64_t tokens_of(const at::Tensor& input) const {
    return input.numel();
  }

  [[nodiscard]] const Clock& clock() const { return clock_; }
  // Next batch, on the device: data_wait, then h2d.
  [[nodiscard]] torch_loader::BatchTensors next_batch(StepRecorder& step);
  // Bytes become floats between 0 and 1, and images take the model's layout, as a training loop
  // would do it.
  [[nodiscard]] at::Tensor model_output(const at::Tensor& input) {
    return output_of(*model_, input);
  }

  // A batch of loader.batch_size samples on the device, outside steps and without the loader.
  [[nodiscard]] torch_loader::BatchTensors full_batch();

  [[nodiscard]] const ResolvedCase& resolved() const { return resolved_; }
  [[nodiscard]] const ModelStepOptions& options() const { return options_; }
  [[nodiscard]] Model& model() { return *model_; }
  [[nodiscard]] Loss& loss() { return *loss_; }

 private:
  std::optional<std::string> build();
  void build_model();
  // Tries a model from a file on batches of the sizes that will come.
  void try_on_samples(Model& model, const DataShape& data);
  // Of the batch that the fingerprint is taken of.
  [[nodiscard]] std::int64_t fingerprint_samples() const;
  [[nodiscard]] std::int64_t full_batch_size() const;
  [[nodiscard]] std::vector<std::int64_t> batch_sizes_to_try() const;
  [[nodiscard]] at::Tensor output_of(Model& model, const at::Tensor& input) const;
  [[nodiscard]] std::int64_t samples_per_step() const;
  void keep_data_on_device();

  ResolvedCase resolved_;
  const Clock& clock_;
  ModelStepOptions options_;
  // Null in a worker that never has them.
  data::PythonParts* python_;
  // Placement pin_thread only; the loader's pin thread uses it.
  std::unique_ptr<transfer::PinThreadUpload> upload_;
  loader::LoaderPipeline pipeline_;
  std::optional<transfer::Transfer> transfer_;
  std::unique_ptr<Model> model_;
  std::optional<Loss> loss_;
  std::string model_digest_;  // of model.path; empty for the zoo
  std::int64_t parameter_count_ = 0;
  std::optional<cuda::AllocatorWindow> memory_;  // of the last window
  double flops_per_sample_ = 0;                  // counted when the fingerprint is taken
  std::int64_t step_samples_ = 0;                // of the step under way
  std::int64_t largest_step_samples_ = 0;
};

}  // namespace stepbench::step
