// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/measure_machine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "harness/campaign/scratch_folder.h"
#include "harness/text/utc.h"

namespace stepbench::campaign {

MachineCases machine_cases() {
  return {.yaml = R"(name: machine
workload: train_step
device: cpu
data: {kind: synthetic, features: 256, samples: 4096}
loader: {batch_size: 64}
model: {kind: mlp, hidden: 256, layers: 4}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
schedule: {wait: 0, warmup: 10, active: 60}
launches: 1000
sweep:
  include:
    - {model.hidden: 256}
    - {model.hidden: 2048, loader.batch_size: 1}
    - {data.cost: spin, data.cost_us: 100, data.cost_distribution: exponential, loader.num_workers: 2}
)",
          .names = {"compute", "memory", "loader"}};
}

MachineRun measure_machine(const MachineCases& cases, double seconds, RunRequest request,
                           const CampaignContext& context, run::Progress& progress,
                           run::Interrupts& interrupts, const Clock& clock) {
  constexpr double kNs = 1e9;
  const ScratchFolder folder("stepbench-machine");
  request.file = "doctor";
  request.text = cases.yaml;
  request.results = folder.path();
  request.stores_results = false;
  const PlannedRun run = plan_experiment(request, context, true);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < cases.names.size(); ++i) {
    names.emplace(run.planned.plan.cases.at(i).resolved.case_id, cases.names[i]);
  }
  const std::int64_t begin_ns = clock.now_ns();
  const auto passed = [&] { return static_cast<double>(clock.now_ns() - begin_ns) / kNs; };
  const auto measured = [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  };
  request.is_enough = [&](const record::Results& finished) {
    const auto& launches = finished.launches;
    // Stop if every launch so far failed: further ones would fail, too.
    return passed() >= seconds ||
           (!launches.empty() && std::none_of(launches.begin(), launches.end(), measured));
  };
  const RunEnd end = run_experiment(request, run, context, progress, interrupts, clock);
  MachineRun result{.noise = compare::machine_noise(end.results, names), .signal = end.signal};
  result.noise.seconds = passed();
  result.noise.measured_utc = text::utc_text(std::chrono::system_clock::now());
  for (const record::Launch& launch : end.results.launches) {
    if (!measured(launch) && result.failed.empty()) result.failed = launch.row.outcome.reason;
  }
  return result;
}

}  // namespace stepbench::campaign
