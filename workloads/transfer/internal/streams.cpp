// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/streams.h"

#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>
#include <optional>

#ifdef STEPBENCH_CUDA_STREAM_HEADER
#include <c10/cuda/CUDAStream.h>
#endif

namespace stepbench::transfer {
namespace {

// The cudaStream_t of a stream of a CUDA device; null for the default stream, and if libtorch was
// built without CUDA.
void* stream_handle(const c10::Stream& stream) {
#ifdef STEPBENCH_CUDA_STREAM_HEADER
  if (stream.device_type() == c10::DeviceType::CUDA) return c10::cuda::CUDAStream(stream).stream();
#endif
  (void)stream;
  return nullptr;
}

// The memory of one slot, for batches up to the size of the first one.
class SlotMemory {
 public:
  transfer::BatchTensors fill(const transfer::BatchTensors& source, at::Device device,
                              bool non_blocking) {
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
  transfer::BatchTensors copy(std::size_t slot, const Batch& batch) override {
    const c10::StreamGuard on_side(side_);
    transfer::BatchTensors tensors =
        slots_[slot].fill(transfer::batch_tensors(batch), device_, non_blocking_);
    in_flight_.keep(batch, side_);
    return tensors;
  }
  void copied(std::size_t slot) override { copied_[slot].record(side_); }
  void make_compute_stream_wait(std::size_t slot) override { copied_[slot].block(compute()); }
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
  transfer::BatchTensors copy(std::size_t slot, const Batch& batch) override {
    return slots_[slot].fill(transfer::batch_tensors(batch), at::kCPU, false);
  }
  void copied(std::size_t) override {}
  void make_compute_stream_wait(std::size_t) override {}
  void compute_done(std::size_t) override {}

 private:
  std::array<SlotMemory, kSlots> slots_;
};

constexpr double kNsPerMs = 1e6;

// Any thread may query, wait for and destroy recorded events.
class EventMark final : public StreamMark {
 public:
  explicit EventMark(c10::Stream stream)
      : event_(stream.device_type(), c10::EventFlag::BACKEND_DEFAULT) {  // with timing
    event_.record(stream);
  }

  bool passed() const override { return event_.query(); }
  double ns_since(const StreamMark& earlier) const override {
    return event(earlier).elapsedTime(event_) * kNsPerMs;
  }
  static const c10::Event& event(const StreamMark& mark) {
    return static_cast<const EventMark&>(mark).event_;
  }

 private:
  c10::Event event_;
};

class DeviceUploadStream final : public UploadStream {
 public:
  explicit DeviceUploadStream(at::Device device) : device_(device) {}

  void enter_thread() override {
    // Profilers record only the step's operations, and end while this thread works.
    at::enableRecordFunction(false);
    cuda().setDevice(device_);
    if (!side_) side_ = cuda().getStreamFromGlobalPool(device_);
  }
  std::shared_ptr<const StreamMark> mark() override {
    return std::make_shared<const EventMark>(*side_);
  }
  transfer::BatchTensors copy(const Batch& batch) override {
    const c10::StreamGuard on_side(*side_);  // the allocator caches memory per stream
    const transfer::BatchTensors host = transfer::batch_tensors(batch);
    return {.input = host.input.to(device_, true), .target = host.target.to(device_, true)};
  }
  void make_compute_stream_wait(const StreamMark& mark) override {
    EventMark::event(mark).block(compute());
  }
  void used_by_compute(const transfer::BatchTensors& tensors) override {
    tensors.input.record_stream(compute());
    tensors.target.record_stream(compute());
  }
  void finish() override {
    if (side_) cuda().synchronizeStream(*side_);
  }

 private:
  // Not called if libtorch was built without CUDA.
  [[nodiscard]] c10::impl::VirtualGuardImpl cuda() const {
    return c10::impl::VirtualGuardImpl(device_.type());
  }
  [[nodiscard]] c10::Stream compute() const { return cuda().getStream(device_); }

  at::Device device_;
  std::optional<c10::Stream> side_;
};

}  // namespace

DeviceStream current_stream(c10::Device device) {
  if (!device.is_cuda()) return {};
  void* const handle = stream_handle(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return {.handle = handle, .computes = handle != nullptr};
}

std::unique_ptr<CopyStream> make_copy_stream(at::Device device, bool non_blocking) {
  if (device.is_cpu()) return std::make_unique<HostCopyStream>();
  return std::make_unique<DeviceCopyStream>(device, non_blocking);
}

std::unique_ptr<UploadStream> make_upload_stream(at::Device device) {
  return std::make_unique<DeviceUploadStream>(device);
}

}  // namespace stepbench::transfer
