// SPDX-License-Identifier: Apache-2.0
// Watches a worker from outside: its processes and their memory, the CPUs and the device; and the
// labels, metrics and messages that these add to a launch's row. The owner passes what the worker
// reports; one thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/sampler.h"
#include "harness/run/internal/worker_session.h"

namespace stepbench::run {

// Parts of a job's memory, see label_memory().
struct JobMemory {
  std::optional<std::int64_t> pss_bytes = {};
  std::int64_t compilers_bytes = 0;
  bool had_children = false;
};

// "cuda" for a case with such a device; empty: none.
[[nodiscard]] std::string device_of(const ResolvedCase& resolved);

class WorkerWatch {
 public:
  // `device`: of the case, "cuda". `nvml` may be null; it and `clock` must outlive this object.
  // `job`: an ancestor of all processes of the launch on this machine, also of its other ranks.
  WorkerWatch(const std::filesystem::path& root, pid_t worker, pid_t job, std::string_view device,
              const machine::Variables& environment, const machine::NvmlSession* nvml,
              const Clock& clock);

  void device_is(const std::string& pci);  // empty: unknown
  // A message delays it by about a millisecond. A window that begins anew is watched anew.
  void is_at(const SchedulePlace& place);
  void sample();
  [[nodiscard]] std::int64_t next_ns() const;
  void worker_ended() { sampler_.worker_ended(); }
  [[nodiscard]] Fields summary() const;  // for `machine` of its launch
  [[nodiscard]] JobMemory memory() const;

  [[nodiscard]] const machine::MachineSampler& machine() const { return sampler_; }
  [[nodiscard]] const machine::DeviceSampler& device() const { return device_sampler_; }
  [[nodiscard]] const std::vector<std::int64_t>& window_begins() const { return window_begins_; }

 private:
  void begin_window();
  [[nodiscard]] machine::DeviceSampler::Owner owner_of(int pid) const;
  [[nodiscard]] std::optional<std::int64_t> numa_node_of_device() const;

  std::filesystem::path root_;
  pid_t job_;
  const Clock& clock_;
  machine::MachineSampler sampler_;
  machine::DeviceSampler device_sampler_;
  std::string device_pci_;  // as reported by the worker
  std::vector<std::int64_t> window_begins_;
  SchedulePlace place_;  // as last seen
};

// Sets kThrottled in the flags of steps during which the device was throttled. `window_begins`:
// start of each cycle's window, on the clock of `throttled`. Returns the number of such steps.
std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled);

// Adds the memory held by all processes of the job, as the metric of that name.
void label_memory(const JobMemory& memory, record::LaunchReport& report);

// Sets the flags for conditions that must be reported, see record/quality.h.
void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report);

// Adds energy_per_step_j, energy_per_sample_j and the time per step that each counted reason held
// the clocks down, as far as the device counts them. Counters are read slightly before and after
// each window: their rate over that interval is applied to the steps' own time.
void add_device_counters(const machine::WindowCounters& counters,
                         const std::vector<record::CycleSamples>& samples,
                         record::LaunchReport& report);

[[nodiscard]] std::string over_memory_text(std::int64_t used_bytes, std::int64_t allowed_bytes);

}  // namespace stepbench::run
