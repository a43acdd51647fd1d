// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "workloads/data/python_parts.h"

namespace stepbench::loader {
namespace {

constexpr double kMaxWorkersPerCore = 8;
// Gain, as a share of a step, that more workers must bring.
constexpr double kWorthAWorker = 0.05;
// Lower bound on a busy machine: the kernel shares out CPU time.
constexpr double kMinCores = 0.25;
// Bytes per second of blocked time: below it the wait is not for storage.
constexpr double kMinBytesPerBlockedS = 100e3;
// Share of the blocked time in which some task must have waited for storage.
constexpr double kMinStalled = 0.3;
// Waits for Python's GIL matter from this share of a batch's time on, and per tensor from
// kMinGilMemoryNs on: with a free GIL, a tensor's memory is handed over in 0.2 to 0.4 ms. Workers
// that compute less than kMinComputing of their time do not hold the GIL.
constexpr double kMinGilWaitShare = 0.1;
constexpr double kMinGilMemoryNs = 0.5e6;
constexpr double kMinComputing = 0.7;

double sum_of(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

}  // namespace

LoaderAnalysis::LoaderAnalysis(const LoaderFacts& facts) : facts_(facts) {
  const LoaderMetrics& m = facts.measured;
  const WindowFacts& window = facts.window;
  const CoreFacts& machine = facts.machine;
  calls = static_cast<double>(m.wait_ns.size());
  elapsed_ns = static_cast<double>(window.elapsed_ns);
  wait_ns = std::max(0.0, sum_of(m.wait_ns) - static_cast<double>(window.border_next_ns));
  const double steady_ns = elapsed_ns - static_cast<double>(window.border_ns);
  wait_share = elapsed_ns > 0 ? wait_ns / elapsed_ns : 0;
  steady_share = elapsed_ns > 0 ? std::max(0.0, steady_ns / elapsed_ns) : 1;
  for (const LoaderMetrics::Worker& worker : m.workers) {
    busy_ns += static_cast<double>(worker.busy_ns);
    worker_ns += static_cast<double>(worker.busy_ns + worker.idle_ns + worker.blocked_ns);
  }
  // With Python's DataLoader, __getitem__ covers reading, decoding and everything else in it.
  const bool python = facts.engine == data::kPythonName;
  const std::array parts = {
      Part{python ? "__getitem__" : "reading", "loader_fetch_ns", static_cast<double>(m.fetch_ns)},
      Part{"decoding", "loader_decode_ns", static_cast<double>(m.decode_ns)},
      Part{python ? "collate" : "collating", "loader_collate_ns",
           static_cast<double>(m.collate_ns)}};
  largest = *std::max_element(parts.begin(), parts.end(),
                              [](const Part& a, const Part& b) { return a.ns < b.ns; });
  const auto read_ns = static_cast<double>(m.fetch_ns + m.decode_ns + m.collate_ns);
  batch_ns = read_ns / calls;
  const double steps = std::max(1.0, calls - static_cast<double>(window.borders));
  consumer_ns = std::max(0.0, (steady_ns - wait_ns) / steps);
  step_ns = std::max(steady_ns, 1.0) / steps;
  own_cores = static_cast<double>(window.cpu_ns()) / elapsed_ns;
  if (machine.others_ns) others_cores = static_cast<double>(*machine.others_ns) / elapsed_ns;
  if (machine.training) {
    training_waited = static_cast<double>(machine.training->waited_ns) / elapsed_ns;
  }
  if (machine.workers_lived_ns > 0) {
    workers_waited_ns = worker_ns / static_cast<double>(machine.workers_lived_ns) *
                        static_cast<double>(machine.workers.waited_ns);
  }
  reading = workers() > 0 ? reading_of_workers() : reading_of_training_thread(read_ns);
  gil_wait_ns = wait_for_gil();
}

double LoaderAnalysis::utilisation() const {
  if (worker_ns <= 0) return 0;
  const auto readers = static_cast<double>(workers());
  const auto borders = static_cast<double>(facts_.window.borders);
  const auto border_ns = static_cast<double>(facts_.window.border_ns);
  // At a border each worker reads its first batch, at most for the length of the border.
  const double first_ns = borders > 0 ? readers * std::min(borders * batch_ns, border_ns) : 0;
  const double steady_ns = worker_ns - readers * border_ns;
  const double steady_busy_ns = busy_ns - first_ns;
  if (borders * readers >= calls || steady_ns <= 0 || steady_busy_ns <= 0) {
    return busy_ns / worker_ns;
  }
  return std::min(1.0, steady_busy_ns / steady_ns);
}

std::optional<ReadingTime> LoaderAnalysis::reading_of_workers() const {
  const CoreFacts& machine = facts_.machine;
  if (machine.workers_lived_ns <= 0 || busy_ns <= 0) return std::nullopt;
  const double scale = worker_ns / static_cast<double>(machine.workers_lived_ns);
  const double cpu_ns = scale * static_cast<double>(machine.workers.cpu_ns);
  const double computing = std::min(1.0, cpu_ns / busy_ns);
  const double waiting = std::min(1 - computing, workers_waited_ns / busy_ns);
  // Time taken by the hypervisor or withheld by a quota looks like sleep.
  const auto not_running_ns =
      static_cast<double>(machine.stolen_ns + machine.throttled_ns.value_or(0));
  const double not_running = std::min(1 - computing - waiting, not_running_ns / busy_ns);
  return ReadingTime{.computing = computing,
                     .waiting_for_cpu = waiting + not_running,
                     .blocked = 1 - computing - waiting - not_running};
}

// The reading thread also runs the step. Its total sleep bounds the sleep while reading from above;
// reading time minus all its other time bounds it from below.
std::optional<ReadingTime> LoaderAnalysis::reading_of_training_thread(double read_ns) const {
  if (!facts_.machine.training || read_ns <= 0) return std::nullopt;
  const auto cpu_ns = static_cast<double>(facts_.machine.training->cpu_ns);
  const auto waited_ns = static_cast<double>(facts_.machine.training->waited_ns);
  const auto not_running_ns =
      static_cast<double>(facts_.machine.stolen_ns + facts_.machine.throttled_ns.value_or(0));
  const double slept_ns = std::max(0.0, elapsed_ns - cpu_ns - waited_ns - not_running_ns);
  const double least = std::max(0.0, read_ns - cpu_ns - waited_ns - not_running_ns) / read_ns;
  const double most = std::min(1.0, slept_ns / read_ns);
  constexpr double kTooWide = 0.5;
  if (most - least > kTooWide) return std::nullopt;
  const double blocked = (least + most) / 2;
  const double waiting = std::min(1 - blocked, (waited_ns + not_running_ns) / elapsed_ns);
  return ReadingTime{
      .computing = 1 - blocked - waiting, .waiting_for_cpu = waiting, .blocked = blocked};
}

double LoaderAnalysis::wait_for_gil() const {
  const LoaderMetrics& m = facts_.measured;
  if (!m.queue_thread_wait_ns || workers() == 0 || !reading || reading->computing < kMinComputing) {
    return 0;
  }
  const auto queue_waits = static_cast<double>(*m.queue_thread_wait_ns);
  const auto memory_waits = static_cast<double>(m.memory_wait_ns);
  const auto memories = static_cast<double>(m.memories);
  const double held_ns = ((queue_waits / calls >= kMinGilWaitNs ? queue_waits : 0) +
                          (memory_waits >= kMinGilMemoryNs * memories ? memory_waits : 0)) /
                         calls;
  // The queue thread may have had the GIL but no CPU.
  const double for_cpu_ns = workers_waited_ns / calls;
  return held_ns < kMinGilWaitShare * batch_ns || for_cpu_ns > held_ns / 2 ? 0 : held_ns;
}

Blocked LoaderAnalysis::blocked_on() const {
  if (!facts_.machine.storage_bytes || !reading) return Blocked::kUnknown;
  const double readers = std::max<double>(1, static_cast<double>(workers()));
  const double blocked_ns = reading->blocked * (workers() > 0 ? busy_ns : batch_ns * calls);
  if (blocked_ns <= 0) return Blocked::kOther;
  const double rate = static_cast<double>(*facts_.machine.storage_bytes) / (blocked_ns * 1e-9);
  if (rate < kMinBytesPerBlockedS) return Blocked::kOther;
  const auto& stalled_ns = facts_.machine.storage_stalled_ns;
  const bool stalled =
      !stalled_ns || static_cast<double>(*stalled_ns) >= kMinStalled * blocked_ns / readers;
  return stalled ? Blocked::kStorage : Blocked::kOther;
}

std::int64_t LoaderAnalysis::most_workers() const {
  const double cores = blocks() ? facts_.cores * kMaxWorkersPerCore : facts_.cores;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cores)));
}

double LoaderAnalysis::step_with(std::int64_t workers, double cores) const {
  const double waited = reading ? reading->waiting_for_cpu : 0;
  const double turn_ns = batch_ns * (1 - waited);
  const double own_ns = consumer_ns * (1 - std::min(0.9, training_waited.value_or(0)));
  const double cpu_ns = own_cores * step_ns / std::max(kMinCores, cores);
  if (workers == 0) return std::max(own_ns + turn_ns, cpu_ns);
  return std::max({own_ns, turn_ns / static_cast<double>(workers), cpu_ns});
}

std::int64_t LoaderAnalysis::workers_that_keep_up() const {
  const std::int64_t most = most_workers();
  const double best_ns = step_with(most);
  std::int64_t few = 1;
  while (few < most && step_with(few) > (1 + kWorthAWorker) * best_ns) ++few;
  return few;
}

double LoaderAnalysis::gain_with(std::int64_t workers) const {
  return steady_share * std::clamp(1 - step_with(workers) / step_ns, 0.0, 1.0);
}

double LoaderAnalysis::gain_of_busy_workers() const {
  const double turn_ns = batch_ns / static_cast<double>(std::max<std::int64_t>(1, workers()));
  return steady_share * std::clamp(1 - std::max(consumer_ns, turn_ns) / step_ns, 0.0, 1.0);
}

double LoaderAnalysis::gain_without_others() const {
  if (!others_cores) return 0;
  return steady_share * std::clamp(1 - step_with(workers(), facts_.cores) / step_ns, 0.0, 1.0);
}

std::optional<double> LoaderAnalysis::variation() const {
  const double squared = facts_.measured.busy_us_squared;
  const double mean_us = batch_ns * 1e-3;
  if (squared <= 0 || mean_us <= 0) return std::nullopt;
  return std::sqrt(std::max(0.0, squared / calls - mean_us * mean_us)) / mean_us;
}

}  // namespace stepbench::loader
