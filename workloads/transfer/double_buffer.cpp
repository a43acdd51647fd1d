// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/double_buffer.h"

namespace stepbench::transfer {

torch_loader::BatchTensors DoubleBuffer::next(const NextBatch& next_batch, StepRecorder& step) {
  if (computing_) copies_->compute_done(*computing_);
  if (!arriving_) arriving_ = begin_copy(0, next_batch(), step);
  const Arriving ready = *arriving_;
  marks_ = ready.marks;
  copies_->make_compute_stream_wait(ready.slot);
  computing_ = ready.slot;
  arriving_.reset();  // consistent even if the loader throws
  arriving_ = begin_copy((ready.slot + 1) % CopyStream::kSlots, next_batch(), step);
  return ready.tensors;
}

DoubleBuffer::Arriving DoubleBuffer::begin_copy(std::size_t slot, const Batch& batch,
                                                StepRecorder& step) {
  copies_->wait_for_compute(slot);  // before the phase, so that its device time is only the copy
  const auto h2d = step.phase(PhaseId::kH2d, copies_->handle());
  Arriving arriving{slot, copies_->copy(slot, batch), loader::BatchMarks(batch)};
  copies_->copied(slot);
  return arriving;
}

}  // namespace stepbench::transfer
