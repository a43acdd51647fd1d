// SPDX-License-Identifier: Apache-2.0
// Observes a launch from outside: a worker's process tree and its machine, and one NVIDIA device,
// each at most once a second. The owner calls sample() at next_ns(); one thread.
#pragma once

#include <sys/types.h>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/machine/device_state.h"
#include "harness/machine/environment.h"
#include "harness/machine/internal/memory_growth.h"
#include "harness/machine/processes.h"
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

// The device.

// The device's index in NVML, which CUDA_VISIBLE_DEVICES does not renumber; nullopt for a case on
// the CPU. Identifiers in that variable are only resolved with a session.
[[nodiscard]] std::optional<int> watched_device(std::string_view device, const Variables& worker,
                                                const NvmlSession* session = nullptr);

// Sums over all windows of a launch; a counter that is missing at any border is absent.
struct WindowCounters {
  int windows = 0;
  std::int64_t span_ns = 0;  // between the readings, by the sampler's clock
  std::optional<double> energy_j = {};
  std::array<std::optional<std::int64_t>, kCountedReasons.size()> throttled_ns = {};

  // The energy counter moves in jumps: nullopt if the windows are so short that two jumps would be
  // a tenth of the total.
  [[nodiscard]] std::optional<double> power_w() const;
};

class DeviceSampler {
 public:
  struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  enum class Owner : std::uint8_t {
    kOurs,     // in the worker's process tree
    kOther,    // another process on this machine
    kUnknown,  // no such pid here: the driver reports another namespace
  };
  using OwnerOf = std::function<Owner(int pid)>;

  // `session` and `clock` must outlive it; without a session or a device it never reports anything.
  DeviceSampler(const NvmlSession* session, std::optional<int> device, const Clock& clock,
                OwnerOf owner_of);

  // Sets the device as reported by the worker ("0000:17:00.0"), which is right even if CUDA and
  // NVML number devices differently; discards readings of another device.
  void device_is(const std::string& pci);

  void sample();
  // The median clock covers the windows if any of them was sampled, else the launch. Counters are
  // read at both borders.
  void window_begins();
  void window_ends();
  [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
  // gpu.sm_mhz_min, _max, _median, gpu.power_w_max, gpu.temperature_c_max, gpu.utilisation_max,
  // gpu.memory_used_bytes_max, gpu.throttled (reasons), gpu.power_capped_share, gpu.persistence,
  // gpu.mig, gpu.ecc, gpu.other_processes, gpu.energy_source (or why there is none), gpu.lost,
  // gpu.memory_errors (uncorrectable, during the launch), gpu.samples.
  [[nodiscard]] Fields summary() const;
  // Growth of the counters between the windows' borders.
  [[nodiscard]] const WindowCounters& counters() const { return seen_.counters; }
  [[nodiscard]] const std::vector<Span>& throttled() const { return throttled_; }

 private:
  struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool known = false;
    void add(const std::optional<std::int64_t>& value);
  };
  [[nodiscard]] std::int64_t others_among(const std::vector<int>& processes) const;
  void add_throttling(std::uint64_t reasons, std::int64_t now_ns);
  [[nodiscard]] bool shared() const;
  [[nodiscard]] std::string energy_source() const;

  const NvmlSession* session_;
  std::optional<NvmlDevice> device_;
  const Clock& clock_;
  OwnerOf owner_of_;
  std::int64_t next_ns_;
  std::int64_t last_ns_;
  bool in_window_ = false;
  DeviceCounters at_border_;
  std::int64_t border_ns_ = 0;
  struct Seen {
    DeviceState state;  // the latest
    std::int64_t samples = 0;
    std::int64_t capped = 0;
    std::uint64_t reasons = 0;
    bool reasons_known = false;
    std::int64_t others = -1;
    std::optional<std::int64_t> errors_before;  // first reading
    std::vector<double> sm_clocks_mhz;          // only samples with a busy device
    std::vector<double> window_clocks_mhz;
    Range sm_mhz, power_mw, temperature_c, utilisation, memory_bytes;
    WindowCounters counters;
  } seen_;
  std::vector<Span> throttled_;
};

}  // namespace stepbench::machine
