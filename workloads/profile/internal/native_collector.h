// SPDX-License-Identifier: Apache-2.0
// The native engine, alone or together with the device's activity records. It records every
// operation of every thread through at::RecordFunction, and every change of torch's allocators on
// the step's thread and the threads that autograd starts for it. Threads that run operations must
// be idle when it is destroyed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/cuda/device_activity.h"
#include "workloads/profile/internal/op_collector.h"

namespace stepbench::profile {

class NativeRecorder;

// Times are nanoseconds of HostClock.
class NativeCollector final : public OpCollector {
 public:
  // `tsc`: use the processor's time-stamp counter if it is invariant. `listener` may be null and
  // must outlive the collector.
  explicit NativeCollector(const OpCollectorOptions& options, OpListener* listener = nullptr,
                           bool tsc = true);
  ~NativeCollector() override;

  void start() override;
  void begin_window(double reserve) override;
  void end_window() override;
  [[nodiscard]] std::uint64_t now() const override;
  [[nodiscard]] std::int64_t ns_of(std::uint64_t stamp) const override;
  [[nodiscard]] ops::OpLog take() override;
  [[nodiscard]] std::int64_t unix_offset_ns() const override;
  // Index into the OpLog's ops for an id passed to the listener; kNoIndex: missing. Valid after
  // take().
  [[nodiscard]] std::uint32_t op_of(std::uint64_t id) const;

 private:
  std::unique_ptr<NativeRecorder> recorder_;
};

// The native collector combined with the device's activity: each kernel, copy and call carries the
// innermost op that launched it. Without a device or driver, operations are still recorded.
class DeviceTracing final : public OpCollector {
 public:
  DeviceTracing(const OpCollectorOptions& options,
                std::unique_ptr<cuda::ActivityCollector> activity);
  ~DeviceTracing() override;

  void start() override;
  void begin_window(double reserve) override;
  void end_window() override;
  [[nodiscard]] std::uint64_t now() const override { return native_.now(); }
  [[nodiscard]] std::int64_t ns_of(std::uint64_t stamp) const override {
    return native_.ns_of(stamp);
  }
  [[nodiscard]] ops::OpLog take() override;
  [[nodiscard]] std::int64_t unix_offset_ns() const override { return native_.unix_offset_ns(); }
  [[nodiscard]] std::optional<std::string> incomplete() const override { return reason_; }

 private:
  class Listener final : public OpListener {
   public:
    explicit Listener(cuda::ActivityCollector& activity) : activity_(activity) {}
    void push(std::uint64_t id) noexcept override { activity_.push(id); }
    void pop() noexcept override { activity_.pop(); }

   private:
    cuda::ActivityCollector& activity_;
  };

  std::unique_ptr<cuda::ActivityCollector> activity_;
  Listener listener_;
  NativeCollector native_;
  bool tracing_ = false;
  std::optional<std::string> reason_;
};

}  // namespace stepbench::profile
