// SPDX-License-Identifier: Apache-2.0
// The extension module that stepbench_host.py loads: the whole worker as one function.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/environment.h"
#include "workloads/python/internal/embedded_parts.h"
#include "workloads/types.h"

namespace stepbench::python {
namespace {

int embedded_worker_main(std::vector<std::string> arguments, const std::string& build_id,
                         std::int64_t import_torch_ns, machine::Variables variables) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  EmbeddedParts parts(import_torch_ns);
  const WorkerHost host{.python = &parts, .build_id = build_id, .variables = std::move(variables)};
  const pybind11::gil_scoped_release released;
  return stepbench_worker_main(static_cast<int>(argv.size()), argv.data(), host);
}

}  // namespace
}  // namespace stepbench::python

PYBIND11_MODULE(stepbench_python, module) {
  module.def("worker_main", &stepbench::python::embedded_worker_main);
}
