// SPDX-License-Identifier: Apache-2.0
// libtorch's own profiler behind the same interface. It records the threads that torch starts for
// the step, not the loader's. Not in the same worker as the native collector: both own the
// allocators' hook, and kineto leaves CUPTI attached.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "workloads/profile/internal/op_collector.h"

namespace stepbench::profile {

struct KinetoState;

// Times are nanoseconds since 1970.
class KinetoCollector final : public OpCollector {
 public:
  explicit KinetoCollector(const OpCollectorOptions& options);
  ~KinetoCollector() override;

  void start() override;
  void begin_window(double reserve) override;
  void end_window() override;
  [[nodiscard]] std::uint64_t now() const override;
  [[nodiscard]] std::int64_t ns_of(std::uint64_t stamp) const override;
  [[nodiscard]] ops::OpLog take() override;
  [[nodiscard]] std::int64_t unix_offset_ns() const override { return 0; }
  [[nodiscard]] std::optional<std::string> incomplete() const override { return missing_; }

 private:
  std::unique_ptr<KinetoState> state_;
  std::optional<std::string> missing_;
};

}  // namespace stepbench::profile
