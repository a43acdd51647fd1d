// SPDX-License-Identifier: Apache-2.0
// Facts about a loader in its measured windows, for the rules of loader_findings.h: the use of the
// cores, the waits of its workers, the padding in its batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/machine/processes.h"
#include "harness/os/process.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Use of the cores and waits of the workers: kernel counters, read at the start and end of windows,
// never inside.

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

// Sums over all windows; also used for a reading at one instant, from which differences are taken.
struct WindowFacts {
  std::int64_t elapsed_ns = 0;
  // Usage by the process and its children, ended or not.
  os::Usage used = {};
  // At the last reading.
  std::int64_t open_descriptors = 0;
  // Borders between epochs: their number, the time to find an epoch's end, begin the next and get
  // its first batch, and the last of these parts alone.
  std::int64_t borders = 0;
  std::int64_t border_ns = 0;
  std::int64_t border_next_ns = 0;

  void add_span(const WindowFacts& begin, const WindowFacts& end);
  [[nodiscard]] std::int64_t cpu_ns() const { return used.user_ns + used.system_ns; }
};

// Takes some tens of microseconds: call outside windows only.
[[nodiscard]] WindowFacts read_window_facts(const Clock& clock);  // without open_descriptors
[[nodiscard]] std::int64_t count_descriptors();

struct LoaderFacts {
  std::string engine = "thread";
  std::string transport = {};  // empty: the engine offers no choice
  LoaderOptions options = {};
  bool may_decode_faster = false;  // data.decode: exact, and fast exists
  double cores = 1;                // usable by this process; may be fractional (quota)
  double machine_cores = 0;        // `cores` without the quota; 0: equal to `cores`
  double all_cores = 0;            // of the machine; 0: unknown
  bool has_other_ranks = false;    // of this job: other load may be theirs
  bool unknown_length = false;     // length of an epoch
  bool pads_to_longest = true;     // longest of the batch (data.padding)
  // Share of padding left after sorting kSortedBatches batches by length.
  std::optional<double> padding_sorted = {};
  std::int64_t first_wait_ns = 0;  // consumer's, for the first batch
  LoaderMetrics measured = {};
  WindowFacts window = {};
  CoreFacts machine = {};
  // Options that apply to this case; the engine rejects all others.
  std::function<bool(std::string_view option)> offers = [](std::string_view) { return true; };
};

[[nodiscard]] LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                                       const WindowFacts& window);

// Padding left after sorting by length, from the data set's lengths alone.

// Number of batches that the padding finding proposes to sort together.
inline constexpr std::int64_t kSortedBatches = 64;

// Share of an epoch's batch tokens that would be padding with this loader.bucket_batches. nullopt:
// samples have one length, or there are too many to count during a report.
[[nodiscard]] std::optional<double> padding_of_epoch(const data::Dataset& dataset,
                                                     LoaderOptions options, EpochOrder order,
                                                     std::int64_t bucket_batches);

}  // namespace stepbench::loader
