// SPDX-License-Identifier: Apache-2.0
// Diagnoses conditions on this machine that make results untrustworthy, with remedies. Pure
// functions of readings and timings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/machine/device_state.h"
#include "harness/machine/host_reading.h"

namespace stepbench::machine {

struct Examination {
  HostReading before = {};  // before the spin; `after`: after it
  HostReading after = {};
  std::int64_t spin_ns = 0;  // total duration
  Spin spin = {};
  bool nvml = false;  // NVML is available
  std::vector<DeviceState> devices = {};
  int cuda_of_driver = 0;  // newest version that the driver supports; 13000 is 13.0, 0: unknown
  int cuda_needed = 0;     // version that the workers were built for
  // For remedies: the setting that keeps a workload from starting its own workers; empty: unknown.
  std::string without_workers = {};
};
// Returns problems first. A problem makes measuring pointless until it is fixed.
[[nodiscard]] std::vector<Finding> diagnose(const Examination& examination);

[[nodiscard]] std::vector<Finding> diagnose_device(std::size_t index, const DeviceState& state);

}  // namespace stepbench::machine
