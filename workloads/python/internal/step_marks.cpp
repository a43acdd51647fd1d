// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/step_marks.h"

#include <stdexcept>

#include "workloads/step/device.h"

namespace stepbench::python {

namespace py = pybind11;

namespace {

// About ten marks per step: uses Python's C interface, whose calls take a few tens of nanoseconds,
// instead of a pybind11 class with hundreds.
struct PhaseMark {
  PyObject_HEAD PythonStepMarks* marks;
  PhaseId phase;
  const std::string* name;  // owned
};

PhaseMark& mark_of(PyObject* self) { return *reinterpret_cast<PhaseMark*>(self); }

PyObject* enter_phase(PyObject* self, PyObject*) {
  const PhaseMark& mark = mark_of(self);
  try {
    mark.marks->open(mark.phase, *mark.name);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* leave_phase(PyObject* self, PyObject* const*, Py_ssize_t) {
  mark_of(self).marks->close();
  Py_RETURN_NONE;
}

void destroy_phase(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete mark_of(self).name;
  type->tp_free(self);
  Py_DECREF(type);
}

py::object make_phase_type() {
  static PyMethodDef methods[] = {
      {"__enter__", enter_phase, METH_NOARGS, nullptr},
      {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave_phase)),
       METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_methods, methods},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy_phase)},
                                {0, nullptr}};
  static PyType_Spec spec = {"stepbench_python.Phase", sizeof(PhaseMark), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(type);
}

py::object make_mark(const py::object& type, PythonStepMarks& marks, PhaseId phase,
                     const std::string& name) {
  auto* of = reinterpret_cast<PyTypeObject*>(type.ptr());
  PyObject* made = of->tp_alloc(of, 0);
  if (made == nullptr) throw py::error_already_set();
  PhaseMark& mark = mark_of(made);
  mark.marks = &marks;
  mark.phase = phase;
  mark.name = new std::string(name);
  return py::reinterpret_steal<py::object>(made);
}

}  // namespace

void PythonStepMarks::open(PhaseId phase, const std::string& name) {
  if (step_ == nullptr) return;
  if (open_) {
    throw std::runtime_error("phase '" + name + "' begins inside phase '" + *open_name_ +
                             "'; phases follow each other and do not nest");
  }
  open_.emplace(*step_, phase, step::current_stream(device_));
  open_name_ = &name;
  ever_marked_ = true;
}

void PythonStepMarks::end() {
  open_.reset();
  step_ = nullptr;
}

void PythonStepMarks::border(bool first) const {
  if (step_ == nullptr) return;
  step_->first_of_epoch();
  if (first) step_->first_batch();
}

py::dict phase_marks(PythonStepMarks& marks, const std::vector<std::string>& names) {
  const py::object type = make_phase_type();
  py::dict phases;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto phase = static_cast<PhaseId>(i);
    if (phase != PhaseId::kOther) {
      phases[py::str(names[i])] = make_mark(type, marks, phase, names[i]);
    }
  }
  return phases;
}

}  // namespace stepbench::python
