// SPDX-License-Identifier: Apache-2.0
// What on this machine makes results untrustworthy, and what to do about it. Pure functions of what
// was read and timed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/machine/device_state.h"
#include "harness/measure/clock.h"

namespace stepbench {

// The same work again and again: how differently long does it take?
struct Spin {
  std::vector<double> times_ns = {};
  [[nodiscard]] double median_ns() const;
  [[nodiscard]] double variation() const;  // standard deviation over mean
  [[nodiscard]] double slowest() const;    // 99th percentile over median
};
// Runs `work` for about `total_ns`, one time per run; `work` is what lasts about 2 ms.
[[nodiscard]] Spin spin(const Clock& clock, const std::function<void()>& work,
                        std::int64_t total_ns);
void spin_work();  // about 2 ms of integer arithmetic in registers

// What the operating system says of this thread and machine.
struct HostReading {
  int cores = 1;                             // in the affinity mask
  std::optional<double> quota_cores = {};    // of the control group
  std::optional<std::string> governor = {};  // when not all agree: the slowest-minded
  std::optional<double> load_1m = {};
  std::optional<std::int64_t> run_queue_wait_ns = {};  // of the calling thread, so far
  std::optional<std::int64_t> throttled_ns = {};       // of the control group, so far
  std::optional<std::int64_t> all_jiffies = {};
  std::optional<std::int64_t> steal_jiffies = {};
  std::optional<std::int64_t> swap_used_bytes = {};
  std::optional<std::int64_t> shm_free_bytes = {};
};
[[nodiscard]] HostReading read_host(const std::filesystem::path& root);  // stands for "/"

struct Examination {
  HostReading before = {};  // the spin
  HostReading after = {};
  std::int64_t spin_ns = 0;  // how long it took in all
  Spin spin = {};
  std::vector<DeviceState> devices = {};
};
// Problems first. A problem means that measuring here is pointless until it is gone.
[[nodiscard]] std::vector<Finding> diagnose(const Examination& examination);

}  // namespace stepbench
