// SPDX-License-Identifier: Apache-2.0
// Records device and CUDA API activity by CUPTI: kernels, copies, sets, calls, synchronisations,
// each with the operator that caused it. At most one collector per process may be collecting.
// Without CUPTI, a driver or permission, start() returns the reason and all other calls do nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/ops/op_log.h"

namespace stepbench::cuda {

class ActivityCollector {
 public:
  ActivityCollector() = default;
  ActivityCollector(const ActivityCollector&) = delete;
  ActivityCollector& operator=(const ActivityCollector&) = delete;
  virtual ~ActivityCollector() = default;

  // Called before any step: takes the process's only CUPTI subscription, or returns why it cannot.
  // Main thread.
  [[nodiscard]] virtual std::optional<std::string> start() = 0;

  // Called around an operator or annotation, on the thread that runs it; any thread. Device work
  // launched in between carries the innermost id in DeviceActivity::external. Ids are above 0.
  virtual void push(std::uint64_t id) noexcept = 0;
  virtual void pop() noexcept = 0;

  // Main thread, outside windows: waits for the device and discards all records so far.
  virtual void discard() = 0;
  // Main thread, outside windows: waits for the device and appends the records since start() or
  // discard() to log.activities, in order of start_ns; adds the number of lost records to
  // log.dropped. Times are those of HostClock.
  virtual void collect(ops::OpLog& log) = 0;
  virtual void stop() = 0;  // releases the subscription; call collect() first

  // Why the records are incomplete, for people; nullopt if they are complete.
  [[nodiscard]] virtual std::optional<std::string> incomplete() const = 0;
};

// Uses the CUPTI that this process has already loaded. `device`: the CUDA ordinal that the process
// works on. Never null.
[[nodiscard]] std::unique_ptr<ActivityCollector> make_activity_collector(int device);

}  // namespace stepbench::cuda
