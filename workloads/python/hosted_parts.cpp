// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/hosted_parts.h"

#include <ATen/Parallel.h>
#include <pybind11/pybind11.h>

#include <string>

#include "harness/base/error.h"
#include "harness/text/words.h"
#include "harness/workload.h"
#include "workloads/loader/loader.h"
#include "workloads/model/model.h"
#include "workloads/python/in_python.h"
#include "workloads/python/python_dataset.h"
#include "workloads/python/python_loader.h"
#include "workloads/python/python_model.h"
#include "workloads/python/python_step.h"

namespace stepbench {
namespace {

std::int64_t compiled_graphs() {
  return in_python([] {
    return pybind11::module_::import("stepbench_hosted.compiled")
        .attr("graphs")()
        .cast<std::int64_t>();
  });
}

}  // namespace

template <typename Body>
auto HostedParts::with_threads_kept(const Body& body) {
  const int before = at::get_num_threads();
  auto made = body();
  const int after = at::get_num_threads();
  if (after == before) return made;
  at::set_num_threads(before);
  notes_.push_back("the user's Python file set torch's threads to " + std::to_string(after) +
                   "; they were set back to " + std::to_string(before) +
                   ": threads.intra_op is where to choose them");
  return made;
}

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

std::unique_ptr<Model> HostedParts::make_model(const ResolvedCase& resolved,
                                               const DataShape& data) {
  return with_threads_kept([&] { return std::make_unique<PythonModel>(resolved, data); });
}

std::unique_ptr<Workload> HostedParts::make_step(const ResolvedCase& resolved,
                                                 WorkerContext& context) {
  return std::make_unique<PythonStep>(resolved, context);
}

void HostedParts::window(Edge edge) {
  const std::int64_t graphs = compiled_graphs();
  if (edge == Edge::kBegin) {
    graphs_before_ = graphs;
  } else {
    graphs_in_windows_ += graphs - graphs_before_;
  }
}

void HostedParts::report(ReportSink& sink) const {
  in_python([&] {
    const pybind11::module_ sys = pybind11::module_::import("sys");
    const pybind11::object version = pybind11::module_::import("platform").attr("python_version")();
    sink.effective("python.version", version.cast<std::string>());
    sink.effective("python.executable", sys.attr("executable").cast<std::string>());
  });
  sink.metric("python_import_ns", static_cast<double>(import_torch_ns_));
  for (const std::string& note : notes_) sink.note(note);
  const std::int64_t graphs = compiled_graphs();
  if (graphs == 0) return;
  sink.metric("python_compiled_graphs", static_cast<double>(graphs));
  sink.metric("python_recompiled_graphs", static_cast<double>(graphs_in_windows_));
  if (graphs_in_windows_ == 0) return;
  sink.finding({.id = "python.recompiled",
                .severity = Severity::kProblem,
                .text = "torch.compile compiled " + counted(graphs_in_windows_, "graph") +
                        " inside the window: its steps hold the time of the compiler",
                .value = static_cast<double>(graphs_in_windows_),
                .threshold = 0,
                .unit = "graphs",
                .evidence = {"python_recompiled_graphs"},
                .remedy = "Raise schedule.warmup until all shapes were seen; give batches one "
                          "shape (drop_last), or compile with dynamic=True. "
                          "TORCH_LOGS=recompiles says why."});
}

}  // namespace stepbench
