// SPDX-License-Identifier: Apache-2.0
// What the operating system says of this thread and machine at one moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/cpu_times.h"

namespace stepbench::machine {

struct HostReading {
  int cores = 1;   // in the affinity mask
  int online = 0;  // CPUs of the machine; 0: unknown
  // One CPU for each physical core in the mask, by its first thread; empty: unknown.
  std::vector<int> one_per_core = {};
  std::optional<double> quota_cores = {};    // of the control group and those around it
  std::optional<std::string> governor = {};  // when not all agree: one that is not `performance`
  std::optional<bool> turbo = {};
  std::string turbo_off = {};                  // the command that turns it off
  std::optional<std::string> huge_pages = {};  // always, madvise, never
  std::optional<double> load_1m = {};
  std::optional<std::int64_t> run_queue_wait_ns = {};  // of the calling thread, so far
  std::optional<std::int64_t> throttled_ns = {};       // of the control groups, so far
  std::optional<CpuTimes> times = {};                  // of all CPUs
  std::optional<CpuTimes> own_times = {};              // of those in the mask
  std::int64_t own_ticks = 0;                          // of this process
  std::optional<std::int64_t> memory_bytes = {};
  std::optional<std::int64_t> swap_used_bytes = {};
  std::optional<std::int64_t> pages_swapped_in = {};  // so far
  std::optional<std::int64_t> shm_free_bytes = {};
  bool gpu_driver = false;  // NVIDIA's kernel module is loaded
};
[[nodiscard]] HostReading read_host(const std::filesystem::path& root);  // stands for "/"

}  // namespace stepbench::machine
