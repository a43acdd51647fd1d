// SPDX-License-Identifier: Apache-2.0
// A step that a user wrote in Python, and its marks: `with record.phase("forward"):`. Main thread,
// with the interpreter's lock held; no allocation per mark.
#pragma once

#include <c10/core/Device.h>
#include <pybind11/pybind11.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cuda/allocator.h"
#include "harness/measure/step_recorder.h"
#include "harness/workload.h"
#include "workloads/data/python_parts.h"
#include "workloads/python/internal/in_python.h"

namespace stepbench::python {

// The current step and its open phase.
class PythonStepMarks {
 public:
  // Times phases on the stream of this device that is current at their begin.
  void on(c10::Device device) { device_ = device; }
  // Records marks between begin() and end(). Marks outside are ignored, so that the user's
  // functions can also be called there.
  void begin(StepRecorder& step) { step_ = &step; }
  void end();

  void open(PhaseId phase, const std::string& name);
  void close() { open_.reset(); }
  void border(bool first) const;
  [[nodiscard]] bool ever_marked() const { return ever_marked_; }

 private:
  struct Open {
    Open(StepRecorder& step, PhaseId phase, DeviceStream on) : scope(step.phase(phase, on)) {}
    StepRecorder::PhaseScope scope;
  };

  c10::Device device_{c10::kCPU};
  StepRecorder* step_ = nullptr;
  std::optional<Open> open_;
  const std::string* open_name_ = nullptr;
  bool ever_marked_ = false;
};

// All phases that a step may mark, by name: `names` in order of PhaseId. `marks` must outlive them.
[[nodiscard]] pybind11::dict phase_marks(PythonStepMarks& marks,
                                         const std::vector<std::string>& names);

// workload: python_step. A user's function is the step.

// Main thread. Holds the interpreter's lock during each call of the user's code.
class PythonStep final : public Workload {
 public:
  // `gil` counts the time that steps wait for the lock. `context` and `gil` must outlive it.
  PythonStep(const ResolvedCase& resolved, WorkerContext& context, GilWait& gil);

  std::optional<std::string> set_up() override;
  [[nodiscard]] std::int64_t steps_per_epoch() const override { return steps_per_epoch_; }
  void step(StepRecorder& step) override;
  void window(Edge edge) override;
  void synchronize() override;
  void tear_down() override;
  Fingerprint fingerprint() override;
  void report(ReportSink& sink) const override;

 private:
  ResolvedCase resolved_;
  WorkerContext& context_;
  GilWait& gil_;
  PythonStepMarks marks_;  // declared before the Python objects that refer to it
  OwnedPyObject step_;     // Step of stepbench_user_code/step.py
  OwnedPyObject run_;      // the user's function
  OwnedPyObject record_;
  ModuleNames module_names_;
  std::int64_t steps_per_epoch_ = 0;
  int threads_before_ = 0;
  std::optional<cuda::AllocatorWindow> memory_;
};

}  // namespace stepbench::python
