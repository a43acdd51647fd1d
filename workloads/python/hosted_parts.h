// SPDX-License-Identifier: Apache-2.0
// The Python parts of a worker that runs inside an interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/data/python_parts.h"

namespace stepbench {

class HostedParts final : public PythonParts {
 public:
  explicit HostedParts(std::int64_t import_torch_ns) : import_torch_ns_(import_torch_ns) {}

  [[nodiscard]] std::unique_ptr<Dataset> open_dataset(const ResolvedCase& resolved) override;
  [[nodiscard]] std::unique_ptr<Loader> make_loader(const Dataset& dataset,
                                                    const LoaderOptions& options,
                                                    const WorkerContext& context) override;
  [[nodiscard]] std::unique_ptr<Model> make_model(const ResolvedCase& resolved,
                                                  const DataShape& data) override;
  [[nodiscard]] std::unique_ptr<Workload> make_step(const ResolvedCase& resolved,
                                                    WorkerContext& context) override;
  void window(Edge edge) override;
  void report(ReportSink& sink) const override;

 private:
  // Runs the user's `body`, and sets torch's threads back where it changed them.
  template <typename Body>
  auto with_threads_kept(const Body& body);

  std::int64_t import_torch_ns_;
  std::int64_t graphs_before_ = 0;  // that torch.compile had made when the window began
  std::int64_t graphs_in_windows_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace stepbench
