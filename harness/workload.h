// SPDX-License-Identifier: Apache-2.0
// The seam between harness and workloads: implement Workload, list it in a WorkloadType table, hand
// both with a Catalogue to worker_main (harness/worker/worker_main.h). Every call comes on the
// worker's main thread.
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

enum class Edge : std::uint8_t { kBegin, kEnd };  // of the active window

// Does the fast arm compute the same? Nothing: the workload computes none. NaN and infinities are
// results: a step that diverges.
struct Fingerprint {
  std::optional<double> loss = {};
  std::optional<double> gradient_norm = {};
};

// Where a workload puts what it knows beyond times. Names must be declared as Metric in its
// WorkloadSpec, options by full name. Not thread-safe; valid during report().
class ReportSink {
 public:
  ReportSink() = default;
  ReportSink(const ReportSink&) = delete;
  ReportSink& operator=(const ReportSink&) = delete;
  virtual ~ReportSink() = default;
  virtual void metric(std::string_view name, double value) = 0;
  virtual void effective(std::string_view option, Value value) = 0;  // what was really in force
  virtual void note(std::string text) = 0;                           // printed under the table
  virtual void finding(Finding finding) = 0;
  virtual void ops(const ops::OpTable&) {}  // of the profiled steps, from one instrument
};

// Life-cycle times of the case, kept apart from steady state. Fed by the workload as they happen.
struct LifeCycle {
  std::int64_t loader_construct_ns = 0;
  std::int64_t first_batch_ns = 0;  // start of the first epoch to its first batch
  std::int64_t loader_tear_down_ns = 0;
};

// What a workload may use of its worker. Outlives the workload.
struct WorkerContext {
  const Clock& clock;
  std::filesystem::path run_dir;  // result folder of this run; may be empty under --case FILE
  // Names of shared segments must start with it ("/stepbench-<pid>-")
  std::string shared_memory_prefix;
  int rank = 0;
  int world = 1;
  LifeCycle life_cycle = {};
  int launch = 0;
  // Of this case's workload, in order of PhaseId.
  std::vector<std::string> phase_names = {};
  // What users wrote in Python, for the workloads of this project; null in a worker without it.
  data::PythonParts* python = nullptr;
  bool profiled = false;  // its times are for no table: what costs time may be recorded
  // The environment as the worker's main() found it, {name, value}; null: it handed nothing down.
  const std::vector<std::pair<std::string, std::string>>* variables = nullptr;
  // Over which the ranks exchange, in c10d's words, where the workload knows it.
  std::string backend = {};
};

class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::optional<std::string> set_up() = 0;  // a reason to skip, or nothing
  // After set_up(): the steps from one epoch's border to the next, where the loader stops at them;
  // 0 where no border ever lies between two steps.
  [[nodiscard]] virtual std::int64_t steps_per_epoch() const { return 0; }
  // Borders also lie between those that repeat after steps_per_epoch(): only whole epochs are even.
  [[nodiscard]] virtual bool borders_inside_epochs() const { return false; }
  virtual void before_cycle() {}  // untimed, before its first step: bring the page cache into state
  virtual void step(StepRecorder& step) = 0;  // never synchronises on its own account
  // Untimed. The begin comes between two steps, with the warm-up's work still on its way: it must
  // not wait for the device. The end finds it idle. Reset peaks, read the allocator.
  virtual void window(Edge) {}
  // Right after a window's last step, before anything waits for the device; must not wait either.
  virtual void steps_done() {}
  virtual void synchronize() {}  // wait for the device; called outside windows only
  // Collective; between cycles only.
  [[nodiscard]] virtual bool all_ranks_stop(bool mine) { return mine; }
  virtual void tear_down() = 0;  // also after a step that threw
  // Both after the last window and before tear_down(), not after a step that threw.
  [[nodiscard]] virtual Fingerprint fingerprint() = 0;
  virtual void report(ReportSink&) const {}
};

struct WorkloadType {  // one row of an explicit table
  std::string_view name;
  std::unique_ptr<Workload> (*make)(const ResolvedCase&, WorkerContext&);
};

}  // namespace stepbench
