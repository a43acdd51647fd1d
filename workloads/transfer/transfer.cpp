// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/transfer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepbench {

Transfer::Transfer(const ResolvedCase& resolved, at::Device device)
    : device_(device), non_blocking_(resolved.flag("transfer.non_blocking")) {}

BatchTensors Transfer::to_device(const Batch& batch, StepRecorder& step) {
  if (device_.is_cpu()) return batch_tensors(batch);
  const auto h2d = step.phase(PhaseId::kH2d);
  return to_device(batch);
}

BatchTensors Transfer::to_device(const Batch& batch) {
  BatchTensors tensors = batch_tensors(batch);
  if (device_.is_cpu()) return tensors;
  release_copied();
  tensors.input = tensors.input.to(device_, non_blocking_);
  tensors.target = tensors.target.to(device_, non_blocking_);
  if (non_blocking_) {
    InFlight& copy = in_flight_.emplace_back(InFlight{c10::Event(device_.type()), batch});
    copy.copied.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }
  return tensors;
}

void Transfer::release_copied() {
  while (!in_flight_.empty() && in_flight_.front().copied.query()) in_flight_.pop_front();
}

}  // namespace stepbench
