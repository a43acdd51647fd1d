// SPDX-License-Identifier: Apache-2.0
// model.kind: python. A user's torch.nn.Module as a Model.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "workloads/model/model.h"
#include "workloads/python/internal/in_python.h"

namespace stepbench::python {

// Names the modules of `root` and hooks each one to notify the ModuleListener of its forward's
// begin and end. Of a module compiled by torch.compile, hooks only the whole: its parts run no
// Python. Requires the interpreter's lock; call once per root.
[[nodiscard]] ModuleNames hook_modules(const pybind11::object& root);

// Main thread. Holds the interpreter's lock in forward() and the other calls, but not in between:
// backward functions written in Python take it themselves.
class PythonModel final : public Model {
 public:
  // Calls model() of the file model.path, which may take `classes` and `input_shape`. Throws as in
  // PythonParts. `gil` counts the time that forward() waits for the lock; it must outlive the
  // model.
  PythonModel(const ResolvedCase& resolved, const DataShape& data, GilWait& gil);

  at::Tensor forward(const at::Tensor& input) override;
  std::vector<at::Tensor> parameters() const override;
  NamedTensors state() const override;
  ModuleNames module_names() const override;
  std::string digest() const override;
  void train(bool on) override;
  void to(at::Device device, at::MemoryFormat format) override;

 private:
  [[nodiscard]] NamedTensors tensors_of(const char* list) const;

  std::string path_;
  GilWait& gil_;
  OwnedPyObject module_;
  bool tried_ = false;
  mutable ModuleNames names_;  // hooked modules
};

}  // namespace stepbench::python
