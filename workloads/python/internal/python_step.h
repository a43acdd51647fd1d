// SPDX-License-Identifier: Apache-2.0
// workload: python_step. A user's function is the step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/cuda/allocator.h"
#include "harness/workload.h"
#include "workloads/data/python_parts.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/step_marks.h"

namespace stepbench::python {

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
