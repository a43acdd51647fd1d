// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/transfer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepbench::transfer {

Transfer::Transfer(const ResolvedCase& resolved, at::Device device)
    : placement_(placement_of(resolved)),
      device_(device),
      non_blocking_(resolved.flag("transfer.non_blocking") ||
                    placement_.kind == PlacementKind::kInlineNonBlocking ||
                    placement_.kind == PlacementKind::kPrefetchStream) {
  if (!device_.is_cpu()) in_flight_.emplace(device_);
  if (placement_.kind == PlacementKind::kPrefetchStream) {
    double_buffer_.emplace(make_copy_stream(device_, non_blocking_));
  }
}

transfer::BatchTensors Transfer::next(const NextBatch& next_batch, StepRecorder& step) {
  if (resident_) {
    transfer::BatchTensors tensors = resident_->next(step);
    marks_ = resident_->marks();
    return tensors;
  }
  if (double_buffer_) {
    transfer::BatchTensors tensors = double_buffer_->next(next_batch, step);
    marks_ = double_buffer_->marks();
    return tensors;
  }
  const auto marked = [&] {
    Batch batch = next_batch();
    marks_ = loader::BatchMarks(batch);
    return batch;
  };
  return upload_ != nullptr ? upload_->next(marked, step) : to_device(marked(), step);
}

transfer::BatchTensors Transfer::to_device(const Batch& batch, StepRecorder& step) {
  if (device_.is_cpu()) return transfer::batch_tensors(batch);
  const auto h2d = step.phase(PhaseId::kH2d);
  return to_device(batch);
}

transfer::BatchTensors Transfer::to_device(const Batch& batch) {
  transfer::BatchTensors tensors = transfer::batch_tensors(batch);
  if (device_.is_cpu()) return tensors;
  in_flight_->release();
  tensors.input = tensors.input.to(device_, non_blocking_);
  tensors.target = tensors.target.to(device_, non_blocking_);
  if (non_blocking_) {
    in_flight_->keep(batch, c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }
  return tensors;
}

}  // namespace stepbench::transfer
