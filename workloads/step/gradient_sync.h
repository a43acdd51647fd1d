// SPDX-License-Identifier: Apache-2.0
// What the training step of one rank of a group asks of the others. Main thread.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>

#include "harness/workload.h"
#include "workloads/model/model.h"

namespace stepbench::step {

// Of model.accumulate in a step; one alone is both.
struct MicroBatch {
  bool first = true;
  bool last = true;
};

// How gradients of all ranks become one mean. They are exchanged once per step, for its last micro
// batch: the ones before it only add to the gradients.
class GradientSync {
 public:
  GradientSync() = default;
  GradientSync(const GradientSync&) = delete;
  GradientSync& operator=(const GradientSync&) = delete;
  virtual ~GradientSync() = default;

  virtual void before_forward(MicroBatch) {}                      // in phase forward
  virtual void before_backward(const at::Tensor&, MicroBatch) {}  // of the loss, in phase backward
  // The last backward pass is over. What is waited for now is phase grad_sync.
  virtual void after_backward(StepRecorder&) {}
};

// Brings the parameters and buffers of rank 0 to all ranks, which all call it. The parameters are
// on their device. Throws Error where the models of the ranks are not alike.
using GradientSyncMaker = std::function<std::unique_ptr<GradientSync>(
    const ResolvedCase& resolved, WorkerContext& context, const Model& model, c10::Device device)>;

// `workload: train_step` in one rank of several: forward and backward hold what DDP exchanges in
// them, and grad_sync what is exchanged behind them. Rank 0 alone writes checkpoints.
[[nodiscard]] std::unique_ptr<Workload> make_group_train_step(const ResolvedCase& resolved,
                                                              WorkerContext& context,
                                                              GradientSyncMaker make_sync);

}  // namespace stepbench::step
