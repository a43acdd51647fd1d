// SPDX-License-Identifier: Apache-2.0
// The Python parts of a worker without an interpreter: each throws the reason.
#pragma once

#include <string>
#include <utility>

#include "workloads/data/python_parts.h"

namespace stepbench {

class NoPython final : public data::PythonParts {
 public:
  // Empty: no interpreter was searched for.
  explicit NoPython(std::string why) : why_(std::move(why)) {}

  [[nodiscard]] std::unique_ptr<data::Dataset> open_dataset(const ResolvedCase& resolved) override;
  [[nodiscard]] std::unique_ptr<loader::Loader> make_loader(const data::Dataset& dataset,
                                                            const loader::LoaderOptions& options,
                                                            const WorkerContext& context) override;
  [[nodiscard]] std::unique_ptr<Model> make_model(const ResolvedCase& resolved,
                                                  const DataShape& data) override;
  [[nodiscard]] std::unique_ptr<Workload> make_step(const ResolvedCase& resolved,
                                                    WorkerContext& context) override;
  void report(ReportSink&) const override {}

 private:
  [[noreturn]] void refuse(const char* option) const;

  std::string why_;
};

}  // namespace stepbench
