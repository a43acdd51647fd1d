// SPDX-License-Identifier: Apache-2.0
// The interface between harness and workloads: implement Workload, list it in a WorkloadType table,
// pass both with a Catalogue to worker_main (harness/worker/worker_main.h). All calls are made on
// the worker's main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/resolved_case.h"
#include "harness/base/value.h"
#include "harness/measure/step_recorder.h"

namespace stepbench::data {
class PythonParts;
}  // namespace stepbench::data

namespace stepbench::ops {
struct OpTable;
}  // namespace stepbench::ops

namespace stepbench {

struct Finding;  // harness/findings/finding.h

enum class Edge : std::uint8_t { kBegin, kEnd };  // begin or end of the active window

// Checks that the faster arm computes the same. Empty: the workload computes none. NaN and
// infinities are valid: a step that diverges.
struct Fingerprint {
  std::optional<double> loss = {};
  std::optional<double> gradient_norm = {};
};

// Receives a workload's results beyond times. Names must be declared as Metric in its WorkloadSpec,
// options by full name. Not thread-safe; valid during report().
class ReportSink {
 public:
  ReportSink() = default;
  ReportSink(const ReportSink&) = delete;
  ReportSink& operator=(const ReportSink&) = delete;
  virtual ~ReportSink() = default;
  virtual void metric(std::string_view name, double value) = 0;
  virtual void effective(std::string_view option, Value value) = 0;  // the value actually in force
  virtual void note(std::string text) = 0;                           // printed under the table
  virtual void finding(Finding finding) = 0;
  virtual void ops(const ops::OpTable&) {}  // profiled steps, from one instrument
};

// One-time costs of the case, kept apart from steady state. Filled by the workload as they occur.
struct LifeCycle {
  std::int64_t loader_construct_ns = 0;
  std::int64_t first_batch_ns = 0;  // from the start of the first epoch to its first batch
  std::int64_t loader_tear_down_ns = 0;
};

// Services of the worker to its workload. Outlives the workload.
struct WorkerContext {
  const Clock& clock;
  std::filesystem::path run_dir;  // result folder of this run; may be empty under --case FILE
  // Names of shared segments must start with it ("/stepbench-<pid>-")
  std::string shared_memory_prefix;
  int rank = 0;
  int world = 1;
  LifeCycle life_cycle = {};
  int launch = 0;
  // Phases of this case's workload, in order of PhaseId.
  std::vector<std::string> phase_names = {};
  // Python code of the user, for the workloads of this project; null in a worker without it.
  data::PythonParts* python = nullptr;
  bool profiled = false;  // its times are not reported: costly recording is allowed
  // The environment of the worker's main() on entry, {name, value}; null: not passed on.
  const std::vector<std::pair<std::string, std::string>>* variables = nullptr;
  // Backend of the ranks' exchange, in c10d's words, if the workload knows it.
  std::string backend = {};
};

class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::optional<std::string> set_up() = 0;  // a reason to skip, or nullopt
  // After set_up(): steps per epoch if the loader stops at epoch borders; 0 if no border ever lies
  // between two steps.
  [[nodiscard]] virtual std::int64_t steps_per_epoch() const { return 0; }
  // True if borders also lie inside the steps_per_epoch() period: only whole epochs are then
  // comparable.
  [[nodiscard]] virtual bool borders_inside_epochs() const { return false; }
  virtual void before_cycle() {}  // untimed, before a cycle's first step: prepare the page cache
  virtual void step(StepRecorder& step) = 0;  // must not synchronise on its own
  // Untimed: reset peaks, read the allocator. kBegin comes between two steps while work of the
  // warm-up is still in flight: it must not wait for the device. At kEnd the device is idle.
  virtual void window(Edge) {}
  // Called right after a window's last step, before anything waits for the device; must not wait.
  virtual void steps_done() {}
  virtual void synchronize() {}  // waits for the device; called outside windows only
  // Collective; called between cycles only.
  [[nodiscard]] virtual bool all_ranks_stop(bool mine) { return mine; }
  virtual void tear_down() = 0;  // also after a step that threw
  // Both are called after the last window and before tear_down(), not after a step that threw.
  [[nodiscard]] virtual Fingerprint fingerprint() = 0;
  virtual void report(ReportSink&) const {}
};

struct WorkloadType {  // one row of an explicit table
  std::string_view name;
  std::unique_ptr<Workload> (*make)(const ResolvedCase&, WorkerContext&);
};

}  // namespace stepbench
