// SPDX-License-Identifier: Apache-2.0
// The native engine combined with the device's activity records.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/cuda/activity_collector.h"
#include "workloads/profile/native_collector.h"

namespace stepbench::profile {

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
