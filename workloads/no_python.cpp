// SPDX-License-Identifier: Apache-2.0
#include "workloads/no_python.h"

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"
#include "workloads/model/model.h"

namespace stepbench {

void NoPython::refuse(const char* option) const {
  throw ConfigError(option, why_.empty() ? "python needs stepbench-worker, which finds an "
                                           "interpreter; this worker has none"
                                         : why_);
}

std::unique_ptr<data::Dataset> NoPython::open_dataset(const ResolvedCase&) { refuse("data.kind"); }

std::unique_ptr<loader::Loader> NoPython::make_loader(const data::Dataset&,
                                                      const loader::LoaderOptions&,
                                                      const WorkerContext&) {
  refuse("loader.engine");
}

std::unique_ptr<Model> NoPython::make_model(const ResolvedCase&, const DataShape&) {
  refuse("model.kind");
}

std::unique_ptr<Workload> NoPython::make_step(const ResolvedCase&, WorkerContext&) {
  refuse("workload");
}

}  // namespace stepbench
