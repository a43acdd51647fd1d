// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/gbench/benchmark_names.h"
#include "harness/gbench/workload_benchmark.h"
#include "harness/plan/plan.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

const WorkloadType& type_of(std::span<const WorkloadType> types, const std::string& name) {
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const WorkloadType& type) { return type.name == name; });
  if (found != types.end()) return *found;
  throw ConfigError(
      "workload", "this program has no '" + name + "'; it has: " +
                      text::join(types, ", ", [](const WorkloadType& type) { return type.name; }));
}

}  // namespace

void register_workloads(const std::filesystem::path& file, const Catalogue& catalogue,
                        std::span<const WorkloadType> types, std::span<const WorkloadRule> rules) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto plan = std::make_shared<const plan::Plan>(
      plan::make_plan({.file = file, .cores = cores}, catalogue, rules));
  const std::vector<std::string> names = gbench::benchmark_names(*plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WorkloadType& type = type_of(types, plan->cases[i].resolved.workload);
    benchmark::RegisterBenchmark(names[i].c_str(), [plan, i, &type,
                                                    &catalogue](benchmark::State& state) {
      const plan::PlannedCase& planned = plan->cases[i];
      if (planned.skip) {
        state.SkipWithError(("skipped: " + text::printable(*planned.skip)).c_str());
      } else {
        measure_workload(state, type, planned.resolved, catalogue);
      }
    })->UseRealTime();
  }
}

}  // namespace stepbench
