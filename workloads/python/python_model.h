// SPDX-License-Identifier: Apache-2.0
// model.kind: python. A torch.nn.Module of the user's as a Model.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "workloads/model/model.h"
#include "workloads/python/in_python.h"

namespace stepbench::python {

// Names the modules of `root`, and has each one tell the ModuleListener when its forward begins and
// ends. Of a module that torch.compile made only the whole, whose parts run no Python. With the
// interpreter's lock held; once per root.
[[nodiscard]] ModuleNames hook_modules(const pybind11::object& root);

// Main thread. Holds the interpreter's lock in forward() and the other calls, and not in between:
// functions of the backward pass that are written in Python take it themselves.
class PythonModel final : public Model {
 public:
  // Calls model() of the file model.path; it may take `classes` and `input_shape`. Throws as
  // PythonParts says. `gil` counts what forward() waits for the lock, and outlives the model.
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
  KeptObject module_;
  bool tried_ = false;
  mutable ModuleNames names_;  // of the modules that were hooked
};

}  // namespace stepbench::python
