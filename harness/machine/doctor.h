// SPDX-License-Identifier: Apache-2.0
// Diagnoses conditions on this machine that make results untrustworthy or end launches, with
// remedies. Pure functions of readings and timings; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/findings/finding.h"
#include "harness/machine/device_state.h"
#include "harness/machine/internal/host_reading.h"

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
// Reads the state below `root` and this machine's devices, and times the same work for so long.
[[nodiscard]] Examination examine(const std::filesystem::path& root, double seconds,
                                  const Clock& clock);
// Returns problems first. A problem makes measuring pointless until it is fixed.
[[nodiscard]] std::vector<Finding> diagnose(const Examination& examination);

[[nodiscard]] std::vector<Finding> diagnose_device(std::size_t index, const DeviceState& state);

// Limits of the machine that end launches: little of /dev/shm, through which loader worker
// processes pass batches, and few open files. Messages before a run and after a failed launch.

inline constexpr std::int64_t kLittleSharedMemory = std::int64_t{1} << 30;
inline constexpr const char* kMoreSharedMemory =
    "sudo mount -o remount,size=8g /dev/shm; docker run --shm-size=8g; in Kubernetes an emptyDir "
    "of medium Memory there";

// "/dev/shm has 8 MiB free: loader workers that are processes hand batches over there"
[[nodiscard]] std::string free_shared_memory(std::int64_t bytes);

// "a process may have 1,024 files open: batches of loader workers that are processes need some
// each"
[[nodiscard]] std::string open_files(std::int64_t limit);
// Fewer than most systems allow.
inline constexpr std::int64_t kFewOpenFiles = 1024;
inline constexpr const char* kMoreOpenFiles =
    "ulimit -n 65536; docker run --ulimit nofile=65536; in Python torch.multiprocessing."
    "set_sharing_strategy('file_system')";

// Appends what `stepbench doctor` says to a launch's failure reason, if shared memory was refused
// and `directory` (/dev/shm except in tests) has little, or if too many files were open. Removes
// the segment's number, so that launches with the same failure have equal reasons.
[[nodiscard]] std::string with_known_cause(std::string reason,
                                           const std::filesystem::path& directory);

}  // namespace stepbench::machine
