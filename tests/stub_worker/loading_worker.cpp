// SPDX-License-Identifier: Apache-2.0
// A torch-free worker with our data and loaders: the workload `loader`, and the loader of a model
// step.
#include "harness/worker/worker_main.h"
#include "workloads/built_in.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/preview/data_preview.h"
#include "workloads/loader/loader_workload.h"
#include "workloads/loader/show_data.h"

namespace stepbench {
namespace {

std::string show_data(const ResolvedCase& resolved, std::string_view request,
                      data::PythonParts* python) {
  return loader::show_data(resolved, loader::decode_show_data(request), loader::engines(),
                           loader::order_without_torch, python);
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  using stepbench::loader::LoaderWorkload;
  const stepbench::WorkloadType workloads[] = {{"loader", LoaderWorkload::make},
                                               {"train_step", LoaderWorkload::make},
                                               {"eval_step", LoaderWorkload::make}};
  return stepbench::worker_main(
      argc, argv, stepbench::built_in_catalogue(), workloads, {},
      {.rules = stepbench::built_in_rules(), .show_data = stepbench::show_data});
}
