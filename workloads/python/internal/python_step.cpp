// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/python_step.h"

#include <ATen/Parallel.h>
#include <pybind11/stl.h>
#include <stdexcept>

#include "workloads/python/internal/python_model.h"
#include "workloads/python/internal/user_function.h"
#include "workloads/step/torch_runtime.h"

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

namespace {

std::optional<double> as_number(const py::handle value) {
  if (value.is_none()) return std::nullopt;
  return value.cast<double>();
}

}  // namespace

PythonStep::PythonStep(const ResolvedCase& resolved, WorkerContext& context, GilWait& gil)
    : resolved_(resolved), context_(context), gil_(gil) {}

std::optional<std::string> PythonStep::set_up() {
  const c10::Device device = step::parse_device(resolved_.text("device"));
  if (auto reason = step::with_torch_errors([&] { return step::device_unavailable(device); }))
    return reason;
  marks_.on(device);
  threads_before_ = at::get_num_threads();
  in_python([&] {
    const py::module_ step = py::module_::import("stepbench_user_code.step");
    py::dict facts;
    facts["device"] = device.str();
    facts["rank"] = context_.rank;
    facts["world"] = context_.world;
    const py::object record =
        step.attr("Record")(phase_marks(marks_, context_.phase_names),
                            py::cpp_function([this](bool first) { marks_.border(first); }), facts);
    record_ = OwnedPyObject(record);
    const py::object users =
        step.attr("Step")(resolved_.text("step.path"), python_arguments(resolved_), record,
                          resolved_.integer_or("seed", 0));
    step_ = OwnedPyObject(users);
    users.attr("set_up")();
    run_ = OwnedPyObject(users.attr("run"));
    steps_per_epoch_ = users.attr("steps_per_epoch")().cast<std::int64_t>();
  });
  return std::nullopt;
}

void PythonStep::step(StepRecorder& step) {
  const auto counts = in_python(gil_, [&] {
    struct Marked {
      explicit Marked(PythonStepMarks& all, StepRecorder& recorder) : marks(all) {
        marks.begin(recorder);
      }
      ~Marked() { marks.end(); }
      PythonStepMarks& marks;
    };
    py::object result;
    {
      const Marked marked(marks_, step);
      result = run_.get()(record_.get());
    }
    return step_.get().attr("counts")(result).cast<std::pair<std::int64_t, std::int64_t>>();
  });
  if (counts.first > 0) step.add(Count::kSamples, counts.first);
  if (counts.second > 0) step.add(Count::kTokens, counts.second);
  if (memory_) ++memory_->steps;
}

void PythonStep::window(Edge edge) {
  context_.python->window(edge);
  if (edge == Edge::kBegin && module_listener != nullptr) {
    in_python([&] {
      const py::object model = step_.get().attr("modules")();
      if (module_names_.empty() && !model.is_none()) module_names_ = hook_modules(model);
    });
    module_listener->names(module_names_);
  }
  step::mark_memory(edge, step::parse_device(resolved_.text("device")), memory_);
}

void PythonStep::synchronize() {
  step::synchronize_device(step::parse_device(resolved_.text("device")));
}

void PythonStep::tear_down() {
  if (!step_) return;
  in_python([&] { step_.get().attr("tear_down")(); });
  run_.reset();
  step_.reset();
  record_.reset();
}

Fingerprint PythonStep::fingerprint() {
  return in_python([&] {
    const auto found = py::reinterpret_borrow<py::tuple>(step_.get().attr("fingerprint")());
    return Fingerprint{.loss = as_number(found[0]), .gradient_norm = as_number(found[1])};
  });
}

void PythonStep::report(ReportSink& sink) const {
  context_.python->report(sink);
  sink.effective("device", step::parse_device(resolved_.text("device")).str());
  sink.effective("step.digest",
                 Value(in_python([&] { return digest_of_files({resolved_.text("step.path")}); })));
  if (at::get_num_threads() != threads_before_) {
    sink.note("the step set torch's threads to " + std::to_string(at::get_num_threads()) +
              "; they were " + std::to_string(threads_before_) +
              " (threads.intra_op), and the first steps may have used them");
  }
  if (!marks_.ever_marked()) {
    sink.note(
        "step() marks no phases, so that all of its time is `other`; mark them by `with "
        "record.phase(\"forward\"):`");
  }
  if (memory_) stepbench::cuda::report(*memory_, sink);
}

}  // namespace stepbench::python
