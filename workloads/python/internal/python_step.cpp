// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/python_step.h"

#include <ATen/Parallel.h>
#include <pybind11/stl.h>

#include "workloads/python/internal/python_model.h"
#include "workloads/python/internal/user_function.h"
#include "workloads/step/device.h"
#include "workloads/step/torch_errors.h"

namespace stepbench::python {

namespace py = pybind11;

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
