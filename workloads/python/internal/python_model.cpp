// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/python_model.h"

#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>

#include <utility>

#include "workloads/python/internal/user_function.h"

namespace stepbench::python {

namespace py = pybind11;

namespace {

py::module_ model_helpers() { return py::module_::import("stepbench_user_code.model"); }

void enter_module(py::handle module, const py::object&) {
  if (module_listener != nullptr) module_listener->enter(module.ptr());
}

void leave_module(const py::object&, const py::object&, const py::object&) {
  if (module_listener != nullptr) module_listener->leave();
}

// Extracts the logits from the result of a forward().
at::Tensor logits_of(const py::object& output, const std::string& path) {
  if (THPVariable_Check(output.ptr())) return THPVariable_Unpack(output.ptr());
  const py::object logits = model_helpers().attr("logits_of")(output, path);
  return THPVariable_Unpack(logits.ptr());
}

}  // namespace

ModuleNames hook_modules(const py::object& root) {
  ModuleNames names;
  const py::object hooked = model_helpers().attr("hook")(root, py::cpp_function(enter_module),
                                                         py::cpp_function(leave_module));
  for (const py::handle each : hooked) {
    const auto pair = py::reinterpret_borrow<py::tuple>(each);
    names.emplace_back(pair[0].ptr(), pair[1].cast<std::string>());
  }
  return names;
}

PythonModel::PythonModel(const ResolvedCase& resolved, const DataShape& data, GilWait& gil)
    : path_(resolved.text("model.path")), gil_(gil) {
  in_python([&] {
    py::dict offered;
    offered["classes"] = data.classes;
    offered["input_shape"] = py::tuple(py::cast(data.input.shape));
    const py::object made = call_user_function(resolved, {"model.path", path_, "model"}, offered);
    module_ = OwnedPyObject(model_helpers().attr("checked")(made, path_));
  });
}

at::Tensor PythonModel::forward(const at::Tensor& input) {
  return in_python(gil_, [&] {
    const auto argument = py::reinterpret_steal<py::object>(THPVariable_Wrap(input));
    // The first call is the trial on a few samples. It bypasses torch.compile, which would
    // otherwise compile for evaluation mode, and not for what is measured.
    const py::object module =
        std::exchange(tried_, true) ? module_.get() : model_helpers().attr("plain")(module_.get());
    return logits_of(module(argument), path_);
  });
}

NamedTensors PythonModel::tensors_of(const char* list) const {
  return in_python([&] {
    NamedTensors all;
    for (const py::handle each : module_.get().attr(list)()) {
      const auto pair = py::reinterpret_borrow<py::tuple>(each);
      all.emplace_back(pair[0].cast<std::string>(), THPVariable_Unpack(pair[1].ptr()));
    }
    return all;
  });
}

std::vector<at::Tensor> PythonModel::parameters() const {
  std::vector<at::Tensor> all;
  for (auto& [name, parameter] : tensors_of("named_parameters"))
    all.push_back(std::move(parameter));
  return all;
}

NamedTensors PythonModel::state() const {
  NamedTensors all = tensors_of("named_parameters");
  for (auto& buffer : tensors_of("named_buffers")) all.push_back(std::move(buffer));
  return all;
}

ModuleNames PythonModel::module_names() const {
  if (names_.empty()) names_ = in_python([&] { return hook_modules(module_.get()); });
  return names_;
}

std::string PythonModel::digest() const {
  return in_python([&] { return digest_of_files({path_}); });
}

void PythonModel::train(bool on) {
  in_python([&] { module_.get().attr("train")(on); });
}

void PythonModel::to(at::Device device, at::MemoryFormat format) {
  in_python([&] {
    model_helpers().attr("move")(module_.get(), device.str(),
                                 format == at::MemoryFormat::ChannelsLast);
  });
}

}  // namespace stepbench::python
