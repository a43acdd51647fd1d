// SPDX-License-Identifier: Apache-2.0
// The Python parts of a worker that runs inside an interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/data/python_parts.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/iterable_loader.h"

namespace stepbench::python {

class EmbeddedParts final : public data::PythonParts {
 public:
  explicit EmbeddedParts(std::int64_t import_torch_ns) : import_torch_ns_(import_torch_ns) {}

  [[nodiscard]] std::unique_ptr<data::Dataset> open_dataset(const ResolvedCase& resolved) override;
  [[nodiscard]] std::unique_ptr<loader::Loader> make_loader(const data::Dataset& dataset,
                                                            const loader::LoaderOptions& options,
                                                            const WorkerContext& context) override;
  [[nodiscard]] std::unique_ptr<Model> make_model(const ResolvedCase& resolved,
                                                  const DataShape& data) override;
  [[nodiscard]] std::unique_ptr<Workload> make_step(const ResolvedCase& resolved,
                                                    WorkerContext& context) override;
  void window(Edge edge) override;
  void report(ReportSink& sink) const override;

 private:
  // Waits for the interpreter's lock, at each place where a batch's work begins.
  struct Waits {
    GilWait loader;
    GilWait model;
    GilWait step;
  };

  void report_gil(ReportSink& sink) const;
  void report_stacks(ReportSink& sink) const;
  void report_iterable(ReportSink& sink) const;
  // Runs the user's `body`, then restores torch's thread settings if it changed them.
  template <typename Body>
  auto with_threads_kept(const Body& body);

  std::int64_t import_torch_ns_;
  std::int64_t graphs_before_ = 0;  // compiled graphs of torch.compile at the window's begin
  std::int64_t graphs_in_windows_ = 0;
  Waits waits_;
  Waits at_begin_;  // at the window's begin
  Waits in_windows_;
  std::int64_t began_ns_ = 0;
  std::int64_t windows_ns_ = 0;
  IterableLoader* iterable_ = nullptr;  // null if it may end before it is torn down
  OwnedPyObject stacks_;  // Stacks of stepbench_user_code/stacks.py, if lines are sampled
  std::int64_t loader_workers_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace stepbench::python
