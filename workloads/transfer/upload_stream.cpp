// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/upload_stream.h"

#include <ATen/record_function.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>

namespace stepbench {
namespace {

constexpr double kNsPerMs = 1e6;

// Events may be asked, waited for and destroyed by any thread once they are recorded.
class EventMark final : public StreamMark {
 public:
  explicit EventMark(c10::Stream stream)
      : event_(stream.device_type(), c10::EventFlag::BACKEND_DEFAULT) {  // with times
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
    // Profilers count the step's operations, and end while this thread works.
    at::enableRecordFunction(false);
    cuda().setDevice(device_);
    if (!side_) side_ = cuda().getStreamFromGlobalPool(device_);
  }
  std::shared_ptr<const StreamMark> mark() override {
    return std::make_shared<const EventMark>(*side_);
  }
  BatchTensors copy(const Batch& batch) override {
    const c10::StreamGuard on_side(*side_);  // the allocator keeps memory by stream
    const BatchTensors host = batch_tensors(batch);
    return {.input = host.input.to(device_, true), .target = host.target.to(device_, true)};
  }
  void let_compute_wait(const StreamMark& mark) override {
    EventMark::event(mark).block(compute());
  }
  void used_by_compute(const BatchTensors& tensors) override {
    tensors.input.record_stream(compute());
    tensors.target.record_stream(compute());
  }
  void finish() override {
    if (side_) cuda().synchronizeStream(*side_);
  }

 private:
  // Where libtorch was built without CUDA there is none to be had, and nothing that asks for it.
  [[nodiscard]] c10::impl::VirtualGuardImpl cuda() const {
    return c10::impl::VirtualGuardImpl(device_.type());
  }
  [[nodiscard]] c10::Stream compute() const { return cuda().getStream(device_); }

  at::Device device_;
  std::optional<c10::Stream> side_;
};

}  // namespace

std::unique_ptr<UploadStream> make_upload_stream(at::Device device) {
  return std::make_unique<DeviceUploadStream>(device);
}

}  // namespace stepbench
