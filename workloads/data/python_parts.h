// SPDX-License-Identifier: Apache-2.0
// Parts of a case that users wrote in Python: what is known of them without Python, and the
// interface through which a worker inside an interpreter supplies them to its workloads.
// Implemented in workloads/python; a worker without an interpreter has one that reports the reason.
// Names types of higher rooms without including them.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/data/dataset.h"

namespace stepbench {

class Model;
class ReportSink;
class Workload;
enum class Edge : std::uint8_t;
struct DataShape;
struct WorkerContext;

}  // namespace stepbench

namespace stepbench::loader {

class Loader;
struct LoaderOptions;

}  // namespace stepbench::loader

namespace stepbench::data {

class Dataset;

// Main thread only, called without the GIL; each call takes it for as long as needed. All throw
// ConfigError naming the option or the user's file, and Error with Python's traceback.
class PythonParts {
 public:
  PythonParts() = default;
  PythonParts(const PythonParts&) = delete;
  PythonParts& operator=(const PythonParts&) = delete;
  virtual ~PythonParts() = default;

  // data.kind: python
  [[nodiscard]] virtual std::unique_ptr<Dataset> open_dataset(const ResolvedCase& resolved) = 0;
  // loader.engine: python, on a data set of open_dataset()
  [[nodiscard]] virtual std::unique_ptr<loader::Loader> make_loader(
      const Dataset& dataset, const loader::LoaderOptions& options,
      const WorkerContext& context) = 0;
  // model.kind: python
  [[nodiscard]] virtual std::unique_ptr<Model> make_model(const ResolvedCase& resolved,
                                                          const DataShape& data) = 0;
  // workload: python_step
  [[nodiscard]] virtual std::unique_ptr<Workload> make_step(const ResolvedCase& resolved,
                                                            WorkerContext& context) = 0;
  // Called at the borders of each window of a step that may call Python.
  virtual void window(Edge) {}
  // Reports the interpreter, its start time, and what torch.compile did.
  virtual void report(ReportSink& sink) const = 0;
};

// The Python-free part of data sets in Python. PythonParts opens them; loader.engine python or
// iterable reads them.

inline constexpr const char* kPythonName = "python";  // name of the data kind and of the engine

[[nodiscard]] DataKind python_kind();

// Returns true if a part of the case is written in Python: data.kind, model.kind or the step.
[[nodiscard]] bool uses_python(const ResolvedCase& resolved);

// The section `python`: arguments of the user's functions, by name.
[[nodiscard]] Section python_section();
// Rejects arguments that no part of the case uses.
void check_python_arguments(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
