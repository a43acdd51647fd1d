// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/copy_stream.h"

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>
#include <vector>

#include "workloads/transfer/batches_in_flight.h"
#include "workloads/transfer/stream_handle.h"

namespace stepbench {
namespace {

// The memory of one slot, for batches of at most the first one's size.
class SlotMemory {
 public:
  BatchTensors fill(const BatchTensors& source, at::Device device, bool non_blocking) {
    return {.input = fill(input_, source.input, device, non_blocking),
            .target = fill(target_, source.target, device, non_blocking)};
  }

 private:
  static at::Tensor fill(at::Tensor& memory, const at::Tensor& source, at::Device device,
                         bool non_blocking) {
    if (!source.defined()) return source;
    if (!memory.defined() || memory.size(0) < source.size(0)) {
      memory = at::empty(source.sizes(), source.options().device(device));
    }
    at::Tensor part = memory.narrow(0, 0, source.size(0));
    part.copy_(source, non_blocking);
    return part;
  }
  at::Tensor input_;
  at::Tensor target_;
};

class DeviceCopyStream final : public CopyStream {
 public:
  DeviceCopyStream(at::Device device, bool non_blocking)
      : guard_(device.type()),
        device_(device),
        non_blocking_(non_blocking),
        side_(guard_.getStreamFromGlobalPool(device)),
        copied_{c10::Event(device.type()), c10::Event(device.type())},
        computed_{c10::Event(device.type()), c10::Event(device.type())},
        in_flight_(device) {}

  DeviceStream handle() const override { return {stream_handle(side_)}; }
  void wait_for_compute(std::size_t slot) override {
    if (computed_[slot].was_marked_for_recording()) computed_[slot].block(side_);
  }
  BatchTensors copy(std::size_t slot, const Batch& batch) override {
    const c10::StreamGuard on_side(side_);
    BatchTensors tensors = slots_[slot].fill(batch_tensors(batch), device_, non_blocking_);
    in_flight_.keep(batch, side_);
    return tensors;
  }
  void copied(std::size_t slot) override { copied_[slot].record(side_); }
  void let_compute_wait(std::size_t slot) override { copied_[slot].block(compute()); }
  void compute_done(std::size_t slot) override { computed_[slot].record(compute()); }

 private:
  [[nodiscard]] c10::Stream compute() const { return guard_.getStream(device_); }

  c10::impl::VirtualGuardImpl guard_;
  at::Device device_;
  bool non_blocking_;
  c10::Stream side_;
  std::array<SlotMemory, kSlots> slots_;
  std::array<c10::Event, kSlots> copied_;
  std::array<c10::Event, kSlots> computed_;
  BatchesInFlight in_flight_;
};

class HostCopyStream final : public CopyStream {
 public:
  DeviceStream handle() const override { return {}; }
  void wait_for_compute(std::size_t) override {}
  BatchTensors copy(std::size_t slot, const Batch& batch) override {
    return slots_[slot].fill(batch_tensors(batch), at::kCPU, false);
  }
  void copied(std::size_t) override {}
  void let_compute_wait(std::size_t) override {}
  void compute_done(std::size_t) override {}

 private:
  std::array<SlotMemory, kSlots> slots_;
};

}  // namespace

std::unique_ptr<CopyStream> make_copy_stream(at::Device device, bool non_blocking) {
  if (device.is_cpu()) return std::make_unique<HostCopyStream>();
  return std::make_unique<DeviceCopyStream>(device, non_blocking);
}

}  // namespace stepbench
