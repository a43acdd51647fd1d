// SPDX-License-Identifier: Apache-2.0
// Observes a worker's process tree and its machine from outside. The owner calls sample() at
// next_ns(); one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/clock.h"
#include "harness/machine/cgroup.h"
#include "harness/machine/cpu_times.h"
#include "harness/machine/memory_growth.h"
#include "harness/machine/process_tree.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

class MachineSampler {
 public:
  // Reads the initial values of the counters. `clock` must outlive the sampler.
  MachineSampler(std::filesystem::path root, pid_t worker, const Clock& clock);

  void sample();  // at most once a second: earlier calls do nothing
  [[nodiscard]] std::int64_t next_ns()
      const;                    // time of the next sample(): within a window more often
  void measures(bool whether);  // true from the end of set-up to the end of the last window
  void window_begins();         // call when the controller reads the message
  void window_ends();           // samples memory at its peak, while no step runs
  void worker_ended();          // call between the worker's death and its reaping: last counters
  // tree_peak_uss_bytes, tree_peak_shared_bytes, compile_workers_bytes of that,
  // tree_peak_processes, tree_peak_descriptors, window_growth_bytes (of unshared memory, over
  // windows with growth throughout; a process that ends grows no more) and
  // window_own_growth_bytes of it (the worker process), dev_shm_growth_bytes,
  // run_queue_wait_ns and cpu_ns of the worker's main thread, window_run_queue_wait_ns of it in
  // windows with a total of window_ns (if all were observed), others_cpu_share (CPU time used by
  // neither the worker's processes nor this one, as a share of the CPUs that the worker may use),
  // steal_share, cgroup_throttled_ns, load_1m_start, load_1m_max, samples, sampling_ns.
  [[nodiscard]] Fields summary() const;
  [[nodiscard]] std::int64_t peak_pss_bytes() const { return peak_memory_.pss; }
  // Maximum while measuring; nullopt: not available from the kernel, or one process without
  // children.
  [[nodiscard]] std::optional<std::int64_t> job_pss_bytes() const;
  [[nodiscard]] std::int64_t compilers_bytes() const { return job_memory_.compilers; }
  [[nodiscard]] bool had_children() const { return had_children_; }  // while measuring
  // Share of the CPUs available to the worker that its processes and this one used; set by
  // worker_ended().
  [[nodiscard]] std::optional<double> own_share() const { return own_share_; }
  [[nodiscard]] const std::set<pid_t>& processes() const {
    return processes_;
  }                                       // all that were ever in the tree
  [[nodiscard]] bool oom_killed() const;  // an OOM kill in this cgroup since construction

 private:
  struct Window {
    std::int64_t begin_ns = 0;
    std::optional<std::int64_t> waited_ns = {};  // since the worker's start
    std::vector<pid_t> tree = {};
    std::vector<std::int64_t> bytes = {};  // the last reading of each process
    MemoryGrowth growth;
  };
  void read_within_window(std::int64_t now_ns);
  [[nodiscard]] bool should_walk_pages(const ResidentMemory& resident) const;
  void walk_pages(const std::vector<pid_t>& tree, const ResidentMemory& resident);
  std::vector<pid_t> look_at_tree();
  void read_scheduler();
  void compare_cpu_times();

  std::filesystem::path root_;
  pid_t worker_;
  const Clock& clock_;
  Cgroup cgroup_;
  std::vector<int> cpus_;
  std::optional<CpuTimes> first_times_;      // all CPUs
  std::optional<CpuTimes> first_own_times_;  // `cpus_` only
  std::int64_t first_own_ticks_ = 0;         // this process
  std::optional<double> others_share_;
  std::optional<double> own_share_;
  std::optional<Window> window_;  // currently open
  bool windows_missed_ = false;   // a window was too short for a reading
  std::int64_t window_ns_ = 0;
  std::int64_t window_waited_ns_ = 0;
  std::optional<double> first_load_;
  std::optional<double> max_load_;
  std::optional<std::int64_t> first_oom_kills_;
  std::optional<std::int64_t> first_throttled_ns_;
  std::optional<std::int64_t> cpu_ns_;
  std::optional<std::int64_t> run_queue_wait_ns_;
  TreeMemory peak_memory_;
  bool measures_ = false;
  bool had_children_ = false;
  TreeMemory job_memory_;  // maximum while measuring
  std::optional<MemoryGrowth::Rise> growth_;
  ResidentMemory walked_;          // maximum of each at any page walk
  std::int64_t walk_end_ns_ = 0;   // last walk
  std::int64_t walk_cost_ns_ = 0;  // last walk; 0: none yet
  std::int64_t peak_descriptors_ = 0;
  std::optional<std::int64_t> first_dev_shm_bytes_;
  std::int64_t dev_shm_growth_bytes_ = 0;
  std::set<pid_t> processes_;
  std::int64_t peak_processes_ = 0;
  std::int64_t next_ns_ = 0;
  std::int64_t sampling_ns_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace stepbench::machine
