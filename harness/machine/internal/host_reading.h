// SPDX-License-Identifier: Apache-2.0
// Reads this thread and machine at one moment, as the operating system reports them, and how much
// the duration of constant work varies. `root` replaces "/".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/machine/processes.h"

namespace stepbench::machine {

struct HostReading {
  int cores = 1;   // in the affinity mask
  int online = 0;  // CPUs of the machine; 0: unknown
  // The first hardware thread of each physical core in the mask; empty: unknown.
  std::vector<int> one_per_core = {};
  std::optional<double> quota_cores = {};    // control group and its ancestors
  std::optional<std::string> governor = {};  // if they differ: one that is not `performance`
  std::optional<bool> turbo = {};
  std::string turbo_off = {};                  // the command that turns it off
  std::optional<std::string> huge_pages = {};  // always, madvise, never
  std::optional<double> load_1m = {};
  std::optional<std::int64_t> run_queue_wait_ns = {};  // calling thread, cumulative
  std::optional<std::int64_t> throttled_ns = {};       // control groups, cumulative
  std::optional<CpuTimes> times = {};                  // all CPUs
  std::optional<CpuTimes> own_times = {};              // CPUs in the mask
  std::int64_t own_ticks = 0;                          // this process
  std::optional<std::int64_t> memory_bytes = {};
  std::optional<std::int64_t> swap_used_bytes = {};
  std::optional<std::int64_t> pages_swapped_in = {};  // cumulative
  std::optional<std::int64_t> shm_free_bytes = {};
  std::optional<std::int64_t> open_files = {};  // this process may have
  bool gpu_driver = false;                      // NVIDIA's kernel module is loaded
};
[[nodiscard]] HostReading read_host(const std::filesystem::path& root);  // replaces "/"

struct Spin {
  std::vector<double> times_ns = {};
  [[nodiscard]] double median_ns() const;
  [[nodiscard]] double variation() const;  // standard deviation over mean
  [[nodiscard]] double slowest() const;    // 99th percentile over median
};
// Runs `work` for about `total_ns` and times each run; `work` should take about 2 ms.
[[nodiscard]] Spin spin(const Clock& clock, const std::function<void()>& work,
                        std::int64_t total_ns);
void spin_work();  // about 2 ms of integer arithmetic in registers

}  // namespace stepbench::machine
