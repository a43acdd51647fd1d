// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/measure_machine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "harness/campaign/scratch_folder.h"
#include "harness/json/json_text.h"
#include "harness/text/utc.h"

namespace stepbench::campaign {
namespace {

// What the cases vary.
constexpr const char* kSmallStep = R"(workload: train_step
device: cpu
data: {kind: synthetic, features: 256, samples: 4096}
loader: {batch_size: 64}
model: {kind: mlp, hidden: 256, layers: 4}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
)";

}  // namespace

MachineCases machine_cases() {
  return {.yaml = std::string(kSmallStep) + R"(name: machine
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

MachineCases control_cases(const std::string& images, int cores) {
  MachineCases cases{.yaml = std::string(kSmallStep) + R"(name: controls
schedule: {wait: 0, warmup: 5, active: 20}
launches: 8
sweep:
  include:
    - {model.hidden: 1024, loader.batch_size: 256}
    - {model.hidden: 2048, loader.batch_size: 1}
    - {model.hidden: 8, model.layers: 48, loader.batch_size: 1, schedule.active: 200}
    - {data.kind: jpeg_folder, data.path: )" +
                             json::json_string(images) +
                             R"(, loader.batch_size: 16, model.hidden: 1, model.layers: 1}
    - {data.samples: 64, loader.engine: fork, loader.num_workers: 1, loader.persistent_workers: false}
)",
                     .names = {"gemm", "memory", "launch", "decode", "fork"}};
  if (cores > 1) {
    const std::string threads = ", threads.intra_op: " + std::to_string(cores) + "}\n";
    cases.yaml += "    - {model.hidden: 1024, loader.batch_size: 256" + threads;
    cases.yaml += "    - {model.hidden: 2048, loader.batch_size: 1" + threads;
    cases.names.insert(cases.names.end(), {"gemm_threads", "memory_threads"});
  }
  return cases;
}

namespace {

struct MeasuredCases {
  record::Results results = {};
  std::map<std::string, std::string> names = {};  // by case id
  double seconds = 0;
  std::optional<int> signal = {};
  std::string failed = {};
};

// Ends when `seconds` are over, but not before each case has `fewest` launches: then at four times
// as many.
MeasuredCases measure_cases(const MachineCases& cases, double seconds, std::size_t fewest,
                            RunRequest request, const CampaignContext& context,
                            run::Progress& progress, run::Interrupts& interrupts,
                            const Clock& clock) {
  constexpr double kNs = 1e9;
  const ScratchFolder folder("stepbench-machine");
  request.file = "doctor";
  request.text = cases.yaml;
  request.results = folder.path();
  request.keeps_results = false;
  const PlannedRun run = plan_experiment(request, context, true);
  MeasuredCases measured;
  for (std::size_t i = 0; i < cases.names.size(); ++i) {
    measured.names.emplace(run.planned.plan.cases.at(i).resolved.case_id, cases.names[i]);
  }
  const std::int64_t begin_ns = clock.now_ns();
  const auto passed = [&] { return static_cast<double>(clock.now_ns() - begin_ns) / kNs; };
  const auto is_measured = [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  };
  request.is_enough = [&](const record::Results& finished) {
    const auto& launches = finished.launches;
    // What fails at first fails again.
    const double limit = launches.size() < fewest * cases.names.size() ? 4 * seconds : seconds;
    return passed() >= limit ||
           (!launches.empty() && std::none_of(launches.begin(), launches.end(), is_measured));
  };
  RunEnd end = run_experiment(request, run, context, progress, interrupts, clock);
  for (const record::Launch& launch : end.results.launches) {
    if (!is_measured(launch) && measured.failed.empty()) {
      measured.failed = launch.row.outcome.reason;
    }
  }
  measured.results = std::move(end.results);
  measured.signal = end.signal;
  measured.seconds = passed();
  return measured;
}

}  // namespace

MachineRun measure_machine(const MachineCases& cases, double seconds, RunRequest request,
                           const CampaignContext& context, run::Progress& progress,
                           run::Interrupts& interrupts, const Clock& clock) {
  const MeasuredCases measured =
      measure_cases(cases, seconds, 0, std::move(request), context, progress, interrupts, clock);
  MachineRun result{.noise = compare::machine_noise(measured.results, measured.names),
                    .signal = measured.signal,
                    .failed = measured.failed};
  result.noise.seconds = measured.seconds;
  result.noise.measured_utc = text::utc_text(std::chrono::system_clock::now());
  return result;
}

ControlRun measure_controls(const MachineCases& cases, double seconds, RunRequest request,
                            const CampaignContext& context, run::Progress& progress,
                            run::Interrupts& interrupts, const Clock& clock) {
  const MeasuredCases measured =
      measure_cases(cases, seconds, compare::kFewestForControl, std::move(request), context,
                    progress, interrupts, clock);
  ControlRun result{.controls = compare::controls_of(measured.results, measured.names),
                    .signal = measured.signal,
                    .failed = measured.failed};
  for (const std::string& name : cases.names) {
    if (result.controls.find(name) == nullptr) result.too_few.push_back(name);
  }
  result.controls.measured_utc = text::utc_text(std::chrono::system_clock::now());
  if (!measured.results.workers.empty()) {
    const Fields& environment = measured.results.workers.front().environment;
    if (const auto torch = environment.find("torch"); torch != environment.end()) {
      result.controls.machine.insert(*torch);
    }
  }
  return result;
}

}  // namespace stepbench::campaign
