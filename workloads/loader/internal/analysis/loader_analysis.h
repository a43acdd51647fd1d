// SPDX-License-Identifier: Apache-2.0
// The steady-state model of a loader's measured windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "workloads/loader/internal/analysis/loader_facts.h"

namespace stepbench::loader {

// Shares of the readers' time while reading batches, by the kernel's counters.
struct ReadingTime {
  double computing = 0;
  double waiting_for_cpu = 0;
  double blocked = 0;  // neither on a CPU nor waiting for one
};

// Causes of blocked readers.
enum class Blocked : std::uint8_t {
  kStorage,  // bytes were read from it meanwhile
  kOther,    // the network, a lock, another process, sleep
  kUnknown   // the kernel does not report the bytes read
};

// Share of the workers' time that is busy: above it they are the limit.
constexpr double kMinBusy = 0.7;
// Share of a thread's time spent waiting for a CPU: from here on it is the cause
// (record/quality.h).
constexpr double kMinWaitForCpu = 0.1;
// Mean wait of a finished batch for Python's GIL: reported from here on.
constexpr double kMinGilWaitNs = 1e6;

// The numbers that the rules of loader_findings.h share. Requires calls of next() and elapsed time.
class LoaderAnalysis {
 public:
  struct Part {
    std::string_view name;  // for use in a sentence
    std::string_view metric;
    double ns = 0;
  };

  explicit LoaderAnalysis(const LoaderFacts& facts);

  [[nodiscard]] std::int64_t workers() const { return facts_.options.num_workers; }
  // Busy share of the workers' time between epoch borders: at a border they end, start and wait for
  // one another.
  [[nodiscard]] double utilisation() const;
  // Blocked readers leave the cores free: more readers than cores can overlap their waits.
  [[nodiscard]] bool blocks() const { return reading && reading->blocked >= 0.5; }
  [[nodiscard]] Blocked blocked_on() const;
  // `workload: loader`: the consumer only takes batches, so the loader is the limit by design.
  [[nodiscard]] bool consumer_is_idle() const { return consumer_ns < 0.01 * step_ns; }
  // Most workers that the cores have room for: one per core if they compute, more if they block.
  [[nodiscard]] std::int64_t most_workers() const;
  // The fewest workers that keep up with the consumer, up to most_workers().
  [[nodiscard]] std::int64_t workers_that_keep_up() const;
  // Modelled step time with this many workers: at least the consumer's own part, a worker's turn,
  // and the CPU time of all on the cores that other programs leave. Blocked readers need so little
  // CPU time that they get it on a busy machine, too.
  [[nodiscard]] double step_with(std::int64_t workers) const {
    return step_with(workers, blocks() ? facts_.cores : cores_left());
  }
  // Share of the time saved, by the model.
  [[nodiscard]] double gain_with(std::int64_t workers) const;
  // Share of the time saved if no existing worker were idle while the consumer waits.
  [[nodiscard]] double gain_of_busy_workers() const;
  // Share of the time saved if other programs used no core.
  [[nodiscard]] double gain_without_others() const;
  // Variation of batches: standard deviation of a worker's time per batch over its mean.
  [[nodiscard]] std::optional<double> variation() const;

  double calls = 0;
  double elapsed_ns = 0;
  double wait_ns = 0;
  double wait_share = 0;  // of the time, without waits at epoch borders
  double busy_ns = 0;
  double worker_ns = 0;
  Part largest;            // largest part of the work on batches
  double batch_ns = 0;     // one worker's time per batch
  double consumer_ns = 0;  // the consumer's own time per step
  double step_ns = 0;
  double steady_share = 1;  // of the time: everything but epoch borders
  // nullopt: unknown to the kernel.
  std::optional<ReadingTime> reading;
  std::optional<double> training_waited;  // the training thread, for a CPU: share
  double own_cores = 0;                   // used by this launch, on average
  std::optional<double> others_cores;     // used by other programs
  // Cores shared by this launch and other programs.
  [[nodiscard]] double machine_cores() const {
    return std::max(facts_.cores, facts_.machine_cores);
  }
  // Usable cores minus those that other programs use. Below a quota they take none.
  [[nodiscard]] double cores_left() const {
    return std::clamp(machine_cores() - others_cores.value_or(0), 0.0, facts_.cores);
  }
  double workers_waited_ns = 0;  // workers waiting for a CPU, reading or not
  // Mean wait of a finished batch for Python's GIL, held by its own worker's reading; 0:
  // negligible, or the worker may have lacked a CPU.
  double gil_wait_ns = 0;

 private:
  [[nodiscard]] std::optional<ReadingTime> reading_of_workers() const;
  [[nodiscard]] std::optional<ReadingTime> reading_of_training_thread(double read_ns) const;
  [[nodiscard]] double step_with(std::int64_t workers, double cores) const;
  [[nodiscard]] double wait_for_gil() const;

  const LoaderFacts& facts_;
};

}  // namespace stepbench::loader
