// SPDX-License-Identifier: Apache-2.0
// Who had the cores while a loader's windows were measured, and what its workers waited for: the
// kernel's counters, read where windows begin and end and never inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/machine/cpu_times.h"
#include "harness/machine/thread_times.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Of all windows together. What the kernel does not tell is nullopt.
struct CoreFacts {
  std::optional<machine::ThreadTimes> training = {};  // of the training thread
  // Of the workers that lived at a window's end, with all threads of a worker process; over
  // workers_lived_ns of their life in windows, 0 where nothing is known.
  machine::ThreadTimes workers = {};
  std::int64_t workers_lived_ns = 0;
  // CPU time that programs which are not of this launch had, on the cores that it may use.
  std::optional<std::int64_t> others_ns = {};
  std::int64_t stolen_ns = 0;  // by the hypervisor, of these cores
  std::optional<std::int64_t> throttled_ns = {};
  std::optional<std::int64_t> storage_bytes = {};       // that this launch read
  std::optional<std::int64_t> storage_stalled_ns = {};  // some task of the machine waited for it
};

// Main thread.
class CoreWatch {
 public:
  explicit CoreWatch(std::filesystem::path root = "/") : root_(std::move(root)) {}

  void begin(const std::vector<WorkerThread>& workers);
  // `elapsed_ns` of the window; `own_cpu_ns`: what this process and its children had in it;
  // `workers_began_ns`: how long before now those began that begin() did not know.
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
