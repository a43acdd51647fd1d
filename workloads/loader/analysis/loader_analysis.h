// SPDX-License-Identifier: Apache-2.0
// The steady-state model of a loader's measured windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "workloads/loader/analysis/loader_facts.h"

namespace stepbench::loader {

// What those that read batches did while they read, by the kernel's counters. Shares of that time.
struct ReadingTime {
  double computing = 0;
  double waiting_for_cpu = 0;
  double blocked = 0;  // neither had a CPU nor wanted one
};

// What blocked readers wait for.
enum class Blocked : std::uint8_t {
  kStorage,  // bytes came from it meanwhile
  kElse,     // the network, a lock, another process, sleep
  kUnknown   // the kernel does not tell what was read
};

// Of the workers' time: above it they are the limit.
constexpr double kMinBusy = 0.7;
// Who waits for a CPU: from so much of its time on it is the cause (record/quality.h).
constexpr double kMinWaitForCpu = 0.1;
// Python's lock is waited for by a finished batch: so long, on average, from which on it is told.
constexpr double kMinGilWaitNs = 1e6;

// The numbers that the rules of loader_findings.h share. Needs calls of next() and elapsed time.
class LoaderAnalysis {
 public:
  struct Part {
    std::string_view name;  // in a sentence
    std::string_view metric;
    double ns = 0;
  };

  explicit LoaderAnalysis(const LoaderFacts& facts);

  [[nodiscard]] std::int64_t workers() const { return facts_.options.num_workers; }
  // Of their time between epoch borders: at one they end, start and wait for one another.
  [[nodiscard]] double utilisation() const;
  // Readers that are blocked leave the cores free: more of them than cores overlap their waits.
  [[nodiscard]] bool blocks() const { return reading && reading->blocked >= 0.5; }
  [[nodiscard]] Blocked blocked_on() const;
  // `workload: loader`: the consumer only takes batches, so the loader is the limit by design.
  [[nodiscard]] bool consumer_is_idle() const { return consumer_ns < 0.01 * step_ns; }
  // Workers that the cores have room for: as many as compute, many where they block.
  [[nodiscard]] std::int64_t most_workers() const;
  // As few workers as keep up with the consumer, of those that can help.
  [[nodiscard]] std::int64_t workers_that_keep_up() const;
  // A step with so many workers by the model: no shorter than the consumer's own part, than a
  // worker's turn, and than what the CPU time of all needs on the cores that other programs leave.
  // Readers that are blocked need so little of it that they get it on a busy machine, too.
  [[nodiscard]] double step_with(std::int64_t workers) const {
    return step_with(workers, blocks() ? facts_.cores : cores_left());
  }
  // Of the time, by the model.
  [[nodiscard]] double gain_with(std::int64_t workers) const;
  // Of the time: if no worker that is there were idle while the consumer waits.
  [[nodiscard]] double gain_of_busy_workers() const;
  // Of the time: what is left of it if other programs used no core.
  [[nodiscard]] double gain_without_others() const;
  // How uneven batches are: standard deviation of a worker's time for one, over its mean.
  [[nodiscard]] std::optional<double> variation() const;

  double calls = 0;
  double elapsed_ns = 0;
  double wait_ns = 0;
  double wait_share = 0;  // of the time; waits at epoch borders are not among them
  double busy_ns = 0;
  double worker_ns = 0;
  Part largest;            // of what was done for the batches
  double batch_ns = 0;     // one worker's time for a batch
  double consumer_ns = 0;  // the consumer's own time for a step
  double step_ns = 0;
  double steady_share = 1;  // of the time: all but epoch borders
  // nullopt where the kernel does not tell.
  std::optional<ReadingTime> reading;
  std::optional<double> training_waited;  // share of its time: the training thread, for a CPU
  double own_cores = 0;                   // in use by this launch, on average
  std::optional<double> others_cores;     // by other programs
  // On which this launch and other programs run.
  [[nodiscard]] double machine_cores() const {
    return std::max(facts_.cores, facts_.machine_cores);
  }
  // Of the cores that it may use: what other programs leave. Below a quota they take nothing.
  [[nodiscard]] double cores_left() const {
    return std::clamp(machine_cores() - others_cores.value_or(0), 0.0, facts_.cores);
  }
  double workers_waited_ns = 0;  // by the workers, for a CPU: also while they did not read
  // By a finished batch, for Python's lock, which the reading of its own worker holds; 0: no time
  // that matters, or the worker may have had no CPU.
  double gil_wait_ns = 0;

 private:
  [[nodiscard]] std::optional<ReadingTime> reading_of_workers() const;
  [[nodiscard]] std::optional<ReadingTime> reading_of_training_thread(double read_ns) const;
  [[nodiscard]] double step_with(std::int64_t workers, double cores) const;
  [[nodiscard]] double wait_for_gil() const;

  const LoaderFacts& facts_;
};

}  // namespace stepbench::loader
