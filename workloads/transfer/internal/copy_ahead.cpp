// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/copy_ahead.h"

#include <exception>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::transfer {

transfer::BatchTensors DoubleBuffer::next(const NextBatch& next_batch, StepRecorder& step) {
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

PinThreadUpload::~PinThreadUpload() {
  try {
    stream_->finish();
  } catch (const std::exception&) {  // the device failed earlier: its user has reported that
  }
}

std::shared_ptr<const void> PinThreadUpload::upload(const Batch& pinned) {
  const auto device_batch = std::make_shared<DeviceBatch>();
  std::shared_ptr<const StreamMark> begun = stream_->mark();
  std::exception_ptr failed;
  try {
    device_batch->tensors = stream_->copy(pinned);
  } catch (...) {  // a part of it may be in flight
    failed = std::current_exception();
    begun.reset();
  }
  device_batch->copied = stream_->mark();
  {
    const std::lock_guard lock(mutex_);
    release_passed();
    under_way_.push_back({std::move(begun), device_batch->copied, pinned});
  }
  if (failed) std::rethrow_exception(failed);
  return device_batch;
}

void PinThreadUpload::release_passed() {
  while (!under_way_.empty() && under_way_.front().ended->passed()) {
    const Copy& copy = under_way_.front();
    if (in_window_ && copy.begun) {
      ++copies_;
      copies_ns_ += copy.ended->ns_since(*copy.begun);
    }
    under_way_.pop_front();
  }
}

transfer::BatchTensors PinThreadUpload::next(const NextBatch& next_batch, StepRecorder& step) {
  const Batch batch = next_batch();
  if (!batch.device_copy) throw Error("the pin thread left no copy of this batch on the device");
  const auto h2d = step.phase(PhaseId::kH2d);
  const auto& there = *static_cast<const DeviceBatch*>(batch.device_copy.get());
  stream_->make_compute_stream_wait(*there.copied);
  stream_->used_by_compute(there.tensors);
  return there.tensors;
}

void PinThreadUpload::window(Edge edge) {
  const std::lock_guard lock(mutex_);
  release_passed();
  in_window_ = edge == Edge::kBegin;
}

std::optional<double> PinThreadUpload::device_ns() {
  const std::lock_guard lock(mutex_);
  if (copies_ == 0) return std::nullopt;
  return copies_ns_ / static_cast<double>(copies_);
}

}  // namespace stepbench::transfer
