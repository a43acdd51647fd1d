// SPDX-License-Identifier: Apache-2.0
// Watches a worker's process tree and its machine from outside. The owner calls sample() when due;
// one thread.
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
#include "harness/machine/process_tree.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

class MachineSampler {
 public:
  // Reads the counters' starting values. `clock` outlives the sampler.
  MachineSampler(std::filesystem::path root, pid_t worker, const Clock& clock);

  void sample();  // takes at most one sample a second: does nothing when called earlier
  [[nodiscard]] std::int64_t next_ns() const;  // when sample() is due: within a window more often
  void measures(bool whether);  // set-up has ended, and the last window has not
  void window_begins();         // as far as the controller has heard of it
  void window_ends();           // reads the memory once more: it is at its height, and no step runs
  void worker_ended();          // between the worker's death and its reaping: last counters
  // tree_peak_uss_bytes, tree_peak_shared_bytes, compile_workers_bytes of that,
  // tree_peak_processes, tree_peak_descriptors, window_growth_bytes (of the memory that is no
  // other's, over the windows in which no process came or went and growth lasted to the end),
  // dev_shm_growth_bytes,
  // run_queue_wait_ns and cpu_ns of the worker's main thread, window_run_queue_wait_ns of it in
  // windows that took window_ns in all (where all were seen), others_cpu_share (of the CPUs that
  // the worker may use, what neither its processes nor this one used), steal_share,
  // cgroup_throttled_ns, load_1m_start, load_1m_max, samples, sampling_ns.
  [[nodiscard]] Fields summary() const;
  // The most that the tree was seen to hold, each page divided among those that map it.
  [[nodiscard]] std::int64_t peak_pss_bytes() const { return peak_memory_.pss; }
  // While it measured; nullopt: no kernel told it. One process without children has no such sum.
  [[nodiscard]] std::optional<std::int64_t> job_pss_bytes() const;
  [[nodiscard]] std::int64_t compilers_bytes() const { return job_memory_.compilers; }
  [[nodiscard]] bool had_children() const { return had_children_; }  // while it measured
  // What the worker's processes used of the CPUs that it may use; from worker_ended() on.
  [[nodiscard]] std::optional<double> own_share() const { return own_share_; }
  [[nodiscard]] const std::set<pid_t>& processes() const {
    return processes_;
  }                                       // of the tree, ever
  [[nodiscard]] bool oom_killed() const;  // a process of this cgroup was, since construction

 private:
  struct Reading {
    std::int64_t after_ns = 0;  // since the window's begin; 0: there is none
    std::int64_t bytes = 0;
  };
  struct Window {
    std::int64_t begin_ns = 0;
    std::optional<std::int64_t> waited_ns = {};  // since the worker was made
    std::vector<pid_t> tree = {};
    std::int64_t unshared_bytes = 0;
    Reading earlier = {};  // the last two within the window
    Reading later = {};
    std::int64_t next_reading_ns = 50'000'000;  // since its begin
  };
  void read_within_window(std::int64_t now_ns);
  [[nodiscard]] std::optional<std::int64_t> lasting_growth(std::int64_t length_ns,
                                                           std::int64_t end_bytes) const;
  [[nodiscard]] bool is_page_walk_due(const ResidentMemory& resident) const;
  void walk_pages(const std::vector<pid_t>& tree, const ResidentMemory& resident);
  std::vector<pid_t> look_at_tree();
  void read_scheduler();
  void compare_cpu_times();

  std::filesystem::path root_;
  pid_t worker_;
  const Clock& clock_;
  Cgroup cgroup_;
  std::vector<int> cpus_;
  std::optional<CpuTimes> first_times_;      // of all CPUs
  std::optional<CpuTimes> first_own_times_;  // of `cpus_`
  std::int64_t first_own_ticks_ = 0;         // of this process
  std::optional<double> others_share_;
  std::optional<double> own_share_;
  std::optional<Window> window_;  // that is open
  bool windows_missed_ = false;   // one was too short to be told from none
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
  TreeMemory job_memory_;  // the highest while it measures
  std::optional<std::int64_t> growth_bytes_;
  ResidentMemory walked_;          // the highest of each at any walk over the pages
  std::int64_t walk_end_ns_ = 0;   // of the last one
  std::int64_t walk_cost_ns_ = 0;  // of the last one; 0: there was none
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
