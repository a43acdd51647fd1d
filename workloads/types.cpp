// SPDX-License-Identifier: Apache-2.0
#include "workloads/types.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/cuda/allocator.h"
#include "harness/cuda/cuda_instruments.h"
#include "harness/machine/environment.h"
#include "harness/record/rows.h"
#include "harness/worker/count_instruments.h"
#include "harness/worker/worker_main.h"
#include "harness/workload.h"
#include "workloads/built_in.h"
#include "workloads/data/dataset.h"
#include "workloads/data/python_parts.h"
#include "workloads/distributed/group_steps.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/loader_workload.h"
#include "workloads/loader/show_data.h"
#include "workloads/model/model.h"
#include "workloads/model/model_section.h"
#include "workloads/profile/profile_instrument.h"
#include "workloads/step/steps.h"
#include "workloads/step/torch_runtime.h"
#include "workloads/transfer/torch_loader.h"
#include "workloads/transfer/torch_order.h"

namespace stepbench {

// The Python parts of a worker without an interpreter: each throws the reason.

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

extern char** environ;  // NOLINT: POSIX

namespace stepbench {
namespace {

std::unique_ptr<Workload> make_loader_workload(const ResolvedCase& resolved,
                                               WorkerContext& context) {
  return std::make_unique<loader::LoaderWorkload>(
      resolved, context, transfer::torch_engines(),
      transfer::pinned_memory(step::parse_device(resolved.text("device"))), transfer::torch_order);
}

// loader.alone: the loader without the step.
template <auto make_step>
std::unique_ptr<Workload> make_with_loader(const ResolvedCase& resolved, WorkerContext& context) {
  return loader::standalone_part_of(resolved) == loader::StandalonePart::kLoader
             ? make_loader_workload(resolved, context)
             : make_step(resolved, context);
}

// Null unless the case runs on a CUDA device.
std::unique_ptr<Instrument> make_allocator_series(const ResolvedCase& resolved, WorkerContext&) {
  const c10::Device device = step::parse_device(resolved.text("device"));
  if (!device.is_cuda()) return nullptr;
  const std::int64_t window = resolved.integer_or("profile.active", 1);
  return std::make_unique<cuda::AllocatorSeries>(
      cuda::AllocatorReader{.read = [device] { return step::device_memory(device).value(); },
                            .reset_peaks = [device] { step::reset_peak_memory(device); }},
      static_cast<std::size_t>(window));
}

std::unique_ptr<Workload> make_python_step(const ResolvedCase& resolved, WorkerContext& context) {
  if (context.python == nullptr) {
    throw ConfigError("workload", "python_step needs a worker that runs in an interpreter");
  }
  return context.python->make_step(resolved, context);
}

std::string show_data_with_torch(const ResolvedCase& resolved, std::string_view request,
                                 data::PythonParts* python) {
  return loader::show_data(resolved, loader::decode_show_data(request), transfer::torch_engines(),
                           transfer::torch_order, python);
}

}  // namespace

std::span<const WorkloadType> built_in_workloads() {
  static constexpr std::array types = {
      WorkloadType{"loader", make_loader_workload},
      WorkloadType{"transfer", step::make_transfer_workload},
      WorkloadType{"train_step", make_with_loader<distributed::make_train_step>},
      WorkloadType{"eval_step", make_with_loader<step::make_eval_step>},
      WorkloadType{"python_step", make_python_step},
      WorkloadType{"generate", make_with_loader<step::make_generate_step>},
      WorkloadType{"collective", distributed::make_collective},
  };
  return types;
}

int stepbench_worker_main(int argc, char** argv, const WorkerHost& host) {
  // Models of kind aoti only check the shapes of their inputs if this is set.
  ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", /*overwrite=*/0);
  const machine::Variables variables =
      host.variables.empty() ? machine::variables_of(environ) : host.variables;
  NoPython no_python(host.no_python);
  // The allocator comes first, and so ends last: all others have marked a step's end when it reads
  // its counters.
  const std::array instruments = {
      InstrumentType{"allocator", {Pass::kNative, Pass::kKineto}, make_allocator_series},
      event_clock_type(),
      nvtx_type(),
      profile::native_profile_type(),
      profile::kineto_profile_type(),
      worker::perf_counts_type(),
      worker::valgrind_counts_type(),
  };
  // Includes the rules of `stepbench`, for a controller that only knows this worker by its path,
  // and rules that only a worker can check.
  const std::span<const WorkloadRule> shared = built_in_rules();
  std::vector<WorkloadRule> rules(shared.begin(), shared.end());
  rules.push_back({"train_step", model::check_plugin});
  rules.push_back({"eval_step", model::check_plugin});
  return worker_main(argc, argv, built_in_catalogue(), built_in_workloads(), instruments,
                     {.software = step::torch_software,
                      .set_threads = step::set_torch_threads,
                      .rules = rules,
                      .show_data = show_data_with_torch,
                      .python = host.python != nullptr ? host.python : &no_python,
                      .build_id = host.build_id,
                      .place_rank = distributed::place_rank,
                      .variables = &variables});
}

}  // namespace stepbench
