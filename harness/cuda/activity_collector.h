// SPDX-License-Identifier: Apache-2.0
// What the device and the CUDA interfaces did, from CUPTI activity records: kernels, copies, sets,
// calls, synchronisations, each with the operator around it. A process holds at most one collector
// that is collecting; without CUPTI, driver or permission start() says so and the rest does
// nothing.
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

  // Before any step: takes the process's one CUPTI subscription, or says why it cannot. Main
  // thread.
  [[nodiscard]] virtual std::optional<std::string> start() = 0;

  // Around an operator or an annotation, on the thread that runs it; any thread. Device work that
  // is launched between carries the innermost id in DeviceActivity::external. Ids are above 0.
  virtual void push(std::uint64_t id) noexcept = 0;
  virtual void pop() noexcept = 0;

  // Main thread, outside windows: waits for the device and forgets what was recorded so far.
  virtual void discard() = 0;
  // Main thread, outside windows: waits for the device and appends what was recorded since start()
  // or discard() to log.activities, in order of start_ns; adds what was lost to log.dropped. Times
  // are those of HostClock.
  virtual void collect(ops::OpLog& log) = 0;
  virtual void stop() = 0;  // gives the subscription back; collect() before it

  // Why the records are incomplete, for people; nothing when they are not.
  [[nodiscard]] virtual std::optional<std::string> incomplete() const = 0;
};

// On the CUPTI that this process has loaded already, for a process that works on this device, a
// CUDA ordinal. Never null.
[[nodiscard]] std::unique_ptr<ActivityCollector> make_activity_collector(int device);

}  // namespace stepbench::cuda
