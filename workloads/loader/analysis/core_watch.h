// SPDX-License-Identifier: Apache-2.0
// Watches the use of the cores and the waits of the workers in a loader's windows: kernel counters,
// read at the begin and end of windows, never inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/machine/cpu_times.h"
#include "harness/machine/thread_times.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Sums over all windows. nullopt: unknown to the kernel.
struct CoreFacts {
  std::optional<machine::ThreadTimes> training = {};
  // Workers alive at a window's end, with all threads of a worker process. workers_lived_ns: their
  // lifetime within windows; 0: unknown.
  machine::ThreadTimes workers = {};
  std::int64_t workers_lived_ns = 0;
  // CPU time of programs outside this launch, on the cores that it may use.
  std::optional<std::int64_t> others_ns = {};
  std::int64_t stolen_ns = 0;  // by the hypervisor, on these cores
  std::optional<std::int64_t> throttled_ns = {};
  std::optional<std::int64_t> storage_bytes = {};       // read by this launch
  std::optional<std::int64_t> storage_stalled_ns = {};  // some task on the machine waited
};

// Main thread.
class CoreWatch {
 public:
  explicit CoreWatch(std::filesystem::path root = "/") : root_(std::move(root)) {}

  void begin(const std::vector<WorkerThread>& workers);
  // `elapsed_ns`: length of the window. `own_cpu_ns`: CPU time of this process and its children
  // within it. `workers_began_ns`: age of the workers that begin() did not see.
  void end(const std::vector<WorkerThread>& workers, std::int64_t elapsed_ns,
           std::int64_t own_cpu_ns, std::int64_t workers_began_ns);
  [[nodiscard]] const CoreFacts& facts() const { return facts_; }

 private:
  struct Worker {
    WorkerThread thread;
    machine::ThreadTimes times;
  };
  struct Reading {
    std::optional<machine::ThreadTimes> training;
    std::vector<Worker> workers;
    std::optional<machine::CpuTimes> cpus;
    std::optional<std::int64_t> throttled_ns;
    std::optional<std::int64_t> storage_bytes;
    std::optional<std::int64_t> storage_stalled_ns;
  };
  [[nodiscard]] Reading read(const std::vector<WorkerThread>& workers) const;

  std::filesystem::path root_;
  Reading at_begin_;
  CoreFacts facts_;
};

}  // namespace stepbench::loader
