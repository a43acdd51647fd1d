// SPDX-License-Identifier: Apache-2.0
// Records every operation of every thread through at::RecordFunction, and every change of torch's
// allocators on the step's thread and the threads that autograd starts for it. Threads that run
// operations must be idle when it is destroyed.
#pragma once

#include <memory>

#include "workloads/profile/op_collector.h"

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

}  // namespace stepbench::profile
