// SPDX-License-Identifier: Apache-2.0
// Base of training and evaluation steps: a data set, its loader, the transfer and a model. Main
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
#include "workloads/loader/loader_workload.h"
#include "workloads/model/model.h"
#include "workloads/step/internal/loss.h"
#include "workloads/step/torch_runtime.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {

// Options of the sections model and optimizer that the step itself implements.
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
  // Hooks of derived steps. Callers convert torch's errors to Error.
  virtual void prepare() {}  // the model is on its device
  virtual void window_edge(Edge) {}
  virtual void end() {}  // the loader is destroyed; may throw
  virtual void report_own(ReportSink&) const {}
  virtual void run(StepRecorder& step) = 0;  // one step
  [[nodiscard]] virtual Fingerprint score(const transfer::BatchTensors& fixed) = 0;

  // Value of Count::kTokens for a batch of token ids.
  [[nodiscard]] virtual std::int64_t tokens_of(const at::Tensor& input) const {
    return input.numel();
  }

  [[nodiscard]] const Clock& clock() const { return clock_; }
  // Returns the next batch on the device: phases data_wait, then h2d.
  [[nodiscard]] transfer::BatchTensors next_batch(StepRecorder& step);
  // Converts bytes to floats between 0 and 1, and images to the model's layout, like a training
  // loop.
  [[nodiscard]] at::Tensor model_output(const at::Tensor& input) {
    return output_of(*model_, input);
  }

  // A batch of loader.batch_size samples on the device, outside steps and without the loader.
  [[nodiscard]] transfer::BatchTensors full_batch();

  [[nodiscard]] const ResolvedCase& resolved() const { return resolved_; }
  [[nodiscard]] const ModelStepOptions& options() const { return options_; }
  [[nodiscard]] Model& model() { return *model_; }
  [[nodiscard]] Loss& loss() { return *loss_; }

 private:
  std::optional<std::string> build();
  void build_model();
  // Tries a model from a file on batches of the expected sizes.
  void try_on_samples(Model& model, const DataShape& data);
  [[nodiscard]] std::int64_t fingerprint_samples() const;
  [[nodiscard]] std::int64_t full_batch_size() const;
  [[nodiscard]] std::vector<std::int64_t> batch_sizes_to_try() const;
  [[nodiscard]] at::Tensor output_of(Model& model, const at::Tensor& input) const;
  [[nodiscard]] std::int64_t samples_per_step() const;
  void keep_data_on_device();

  ResolvedCase resolved_;
  const Clock& clock_;
  ModelStepOptions options_;
  // Null in a worker without Python parts.
  data::PythonParts* python_;
  // Only for placement pin_thread; used by the loader's pin thread.
  std::unique_ptr<transfer::PinThreadUpload> upload_;
  loader::LoaderPipeline pipeline_;
  std::optional<transfer::Transfer> transfer_;
  std::unique_ptr<Model> model_;
  std::optional<Loss> loss_;
  std::string model_digest_;  // digest of model.path; empty for the zoo
  std::int64_t parameter_count_ = 0;
  std::optional<cuda::AllocatorWindow> memory_;  // last window
  double flops_per_sample_ = 0;                  // counted with the fingerprint
  std::int64_t step_samples_ = 0;                // current step
  std::int64_t largest_step_samples_ = 0;
};

}  // namespace stepbench::step
