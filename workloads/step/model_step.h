// SPDX-License-Identifier: Apache-2.0
// What training and evaluation steps share: a data set, its loader, the transfer and a model. Main
// thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/workload.h"
#include "workloads/data/page_cache.h"
#include "workloads/loader/batch_stream.h"
#include "workloads/model/model.h"
#include "workloads/step/device.h"
#include "workloads/step/loss.h"
#include "workloads/step/step_options.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {

class ModelStep : public Workload {
 public:
  ModelStep(const ResolvedCase& resolved, WorkerContext& context)
      : resolved_(resolved),
        context_(context),
        options_(step_options(resolved)),
        page_cache_(resolved) {}

  std::optional<std::string> set_up() final;
  [[nodiscard]] std::int64_t steps_per_epoch() const final;
  [[nodiscard]] bool borders_inside_epochs() const final;
  void steps_done() final;
  void before_cycle() final { page_cache_.prepare(*dataset_); }
  void step(StepRecorder& step) final;
  void window(Edge edge) final;
  void synchronize() final { synchronize_device(options_.device); }
  void tear_down() final;
  Fingerprint fingerprint() final;
  void report(ReportSink& sink) const final;

 protected:
  // The parts that differ. Errors of torch become Error around them.
  virtual void prepare() {}                  // the model stands on its device
  virtual void run(StepRecorder& step) = 0;  // one step
  [[nodiscard]] virtual Fingerprint score(const BatchTensors& fixed) = 0;

  // Next batch, on the device: data_wait, then h2d.
  [[nodiscard]] BatchTensors next_batch(StepRecorder& step);
  // Bytes become floats between 0 and 1, and images take the model's layout, as a training loop
  // would do it.
  [[nodiscard]] at::Tensor model_output(const at::Tensor& input) {
    return output_of(*model_, input);
  }

  // A batch of loader.batch_size samples on the device, outside steps and without the loader.
  [[nodiscard]] BatchTensors full_batch();

  [[nodiscard]] const ResolvedCase& resolved() const { return resolved_; }
  [[nodiscard]] const StepOptions& options() const { return options_; }
  [[nodiscard]] Model& model() { return *model_; }
  [[nodiscard]] Loss& loss() { return *loss_; }

 private:
  std::optional<std::string> build();
  void build_model();
  void try_on_samples(Model& model, const DataShape& data);
  [[nodiscard]] at::Tensor output_of(Model& model, const at::Tensor& input) const;
  [[nodiscard]] std::int64_t samples_per_step() const;
  void keep_data_on_device();

  ResolvedCase resolved_;
  WorkerContext& context_;
  StepOptions options_;
  std::unique_ptr<Dataset> dataset_;
  PageCache page_cache_;
  std::unique_ptr<PinnedMemory> pinned_;
  std::unique_ptr<PinThreadUpload> upload_;  // placement pin_thread only
  std::unique_ptr<Loader> loader_;
  std::optional<BatchStream> stream_;
  std::optional<Transfer> transfer_;
  std::unique_ptr<Model> model_;
  std::optional<Loss> loss_;
  std::string model_digest_;  // of model.path; empty for the zoo
  std::int64_t parameter_count_ = 0;
  std::optional<AllocatorWindow> memory_;  // of the last window
  double flops_per_sample_ = 0;            // counted when the fingerprint is taken
  std::int64_t step_samples_ = 0;          // of the step under way
  std::int64_t largest_step_samples_ = 0;
};

}  // namespace stepbench
