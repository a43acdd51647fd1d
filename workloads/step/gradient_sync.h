// SPDX-License-Identifier: Apache-2.0
// Interface of the gradient exchange between the ranks of a group. Main thread.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>

#include "harness/workload.h"
#include "workloads/model/model.h"

namespace stepbench::step {

// Position within the micro batches of model.accumulate; a single one is both.
struct MicroBatch {
  bool first = true;
  bool last = true;
};

// Averages gradients over all ranks. They are exchanged once per step, for its last micro batch:
// earlier ones only accumulate.
class GradientSync {
 public:
  GradientSync() = default;
  GradientSync(const GradientSync&) = delete;
  GradientSync& operator=(const GradientSync&) = delete;
  virtual ~GradientSync() = default;

  virtual void before_forward(MicroBatch) {}                      // in phase backward
  virtual void before_backward(const at::Tensor&, MicroBatch) {}  // in phase backward
  // The last backward pass has ended. Any wait from here on is phase grad_sync.
  virtual void after_backward(StepRecorder&) {}
};

// Broadcasts the parameters and buffers of rank 0 to all ranks, which must all call it. Parameters
// must be on their device. Throws Error if the ranks' models differ.
using GradientSyncMaker = std::function<std::unique_ptr<GradientSync>(
    const ResolvedCase& resolved, WorkerContext& context, const Model& model, c10::Device device)>;

// `workload: train_step` in one rank of several: forward and backward include DDP's exchange during
// them, grad_sync the exchange after them. Only rank 0 writes checkpoints.
[[nodiscard]] std::unique_ptr<Workload> make_group_train_step(const ResolvedCase& resolved,
                                                              WorkerContext& context,
                                                              GradientSyncMaker make_sync);

}  // namespace stepbench::step
