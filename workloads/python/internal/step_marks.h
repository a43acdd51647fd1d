// SPDX-License-Identifier: Apache-2.0
// `with record.phase("forward"):` in a step written in Python. Main thread, with the interpreter's
// lock held; no allocation per mark.
#pragma once

#include <c10/core/Device.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/measure/step_recorder.h"

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

}  // namespace stepbench::python
