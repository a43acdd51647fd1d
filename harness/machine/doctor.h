// SPDX-License-Identifier: Apache-2.0
// What on this machine makes results untrustworthy, and what to do about it. Pure functions of what
// was read and timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/machine/device_state.h"
#include "harness/machine/host_reading.h"
#include "harness/machine/spin.h"

namespace stepbench::machine {

struct Examination {
  HostReading before = {};  // the spin
  HostReading after = {};
  std::int64_t spin_ns = 0;  // how long it took in all
  Spin spin = {};
  bool nvml = false;  // NVIDIA's management library answered
  std::vector<DeviceState> devices = {};
  int cuda_of_driver = 0;  // that it runs at most; 13000 is 13.0, 0: not known
  int cuda_needed = 0;     // that the workers were built for
  // What to set so that a workload starts no workers of its own, for remedies; empty: not known.
  std::string without_workers = {};
};
// Problems first. A problem means that measuring here is pointless until it is gone.
[[nodiscard]] std::vector<Finding> diagnose(const Examination& examination);

[[nodiscard]] std::vector<Finding> diagnose_device(std::size_t index, const DeviceState& state);

}  // namespace stepbench::machine
