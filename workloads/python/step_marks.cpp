// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/step_marks.h"

#include <stdexcept>

namespace stepbench {

namespace py = pybind11;

namespace {

class PhaseMark {
 public:
  PhaseMark(StepMarks& marks, PhaseId phase, std::string name)
      : marks_(marks), phase_(phase), name_(std::move(name)) {}
  void enter() { marks_.open(phase_, name_); }
  void leave() { marks_.close(); }

 private:
  StepMarks& marks_;
  PhaseId phase_;
  std::string name_;
};

}  // namespace

void StepMarks::open(PhaseId phase, const std::string& name) {
  if (step_ == nullptr) return;
  if (open_) {
    throw std::runtime_error("phase '" + name + "' begins inside phase '" + *open_name_ +
                             "'; phases follow each other and do not nest");
  }
  open_.emplace(*step_, phase);
  open_name_ = &name;
  ever_marked_ = true;
}

void StepMarks::end() {
  open_.reset();
  step_ = nullptr;
}

void StepMarks::border(bool first) const {
  if (step_ == nullptr) return;
  step_->first_of_epoch();
  if (first) step_->first_batch();
}

void register_step_marks(py::module_& module) {
  py::class_<PhaseMark>(module, "Phase", py::module_local())
      .def("__enter__", &PhaseMark::enter)
      .def("__exit__", [](PhaseMark& mark, py::handle, py::handle, py::handle) { mark.leave(); });
}

py::dict phase_marks(StepMarks& marks, const std::vector<std::string>& names) {
  py::dict phases;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto phase = static_cast<PhaseId>(i);
    if (phase == PhaseId::kOther) continue;
    phases[py::str(names[i])] =
        py::cast(new PhaseMark(marks, phase, names[i]), py::return_value_policy::take_ownership);
  }
  return phases;
}

}  // namespace stepbench
