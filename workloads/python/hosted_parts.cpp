// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/hosted_parts.h"

#include <pybind11/pybind11.h>

#include <string>

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/loader/loader.h"
#include "workloads/model/model.h"
#include "workloads/python/in_python.h"
#include "workloads/python/python_dataset.h"
#include "workloads/python/python_loader.h"

namespace stepbench {

std::unique_ptr<Dataset> HostedParts::open_dataset(const ResolvedCase& resolved) {
  return std::make_unique<PythonDataset>(resolved);
}

std::unique_ptr<Loader> HostedParts::make_loader(const Dataset& dataset,
                                                 const LoaderOptions& options,
                                                 const WorkerContext& context) {
  const auto* python = dynamic_cast<const PythonDataset*>(&dataset);
  if (python == nullptr) {
    throw ConfigError("loader.engine", "engine python reads data.kind: python alone");
  }
  return make_python_loader(*python, options, context);
}

std::unique_ptr<Model> HostedParts::make_model(const ResolvedCase&, const DataShape&) {
  throw ConfigError("model.kind", "python is not there yet");
}

std::unique_ptr<Workload> HostedParts::make_step(const ResolvedCase&, WorkerContext&) {
  throw ConfigError("workload", "python_step is not there yet");
}

void HostedParts::report(ReportSink& sink) const {
  in_python([&] {
    const pybind11::module_ sys = pybind11::module_::import("sys");
    const pybind11::object version = pybind11::module_::import("platform").attr("python_version")();
    sink.effective("python.version", version.cast<std::string>());
    sink.effective("python.executable", sys.attr("executable").cast<std::string>());
  });
  sink.metric("python_import_ns", static_cast<double>(import_torch_ns_));
}

}  // namespace stepbench
