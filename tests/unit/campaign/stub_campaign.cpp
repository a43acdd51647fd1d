// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/campaign/stub_campaign.h"

#include <csignal>
#include <utility>

namespace stepbench::testing {

StubCampaign::StubCampaign(const std::string& yaml)
    : context_{.built_in = {.catalogue = no_workloads_},
               .argv = {"stepbench", "test"},
               .variables = {{"XDG_CACHE_HOME", (folder / "cache").string()}},
               .stepbench_version = "0.0.0"} {
  folder.write("config.yaml", yaml);
}

RunRequest StubCampaign::run_request() const {
  return {.file = (folder / "config.yaml").string(),
          .results = (folder / "results").string(),
          .worker = STUB_WORKER,
          .lock = LockPolicy::kNone};
}

AbRequest StubCampaign::ab_request() const {
  return {.arms = {.file = (folder / "config.yaml").string(), .a = STUB_WORKER, .b = STUB_WORKER},
          .pairs = 10,
          .seed = 1,
          .margins = {"peak_bytes=50%"},
          .results = (folder / "results").string(),
          .lock = LockPolicy::kNone};
}

RunEnd StubCampaign::run(const RunRequest& request) {
  Progress progress{out_, {}, clock_};
  Interrupts interrupts;
  return run_experiment(request, plan_experiment(request, context_, true), context_, progress,
                        interrupts, clock_);
}

Plan StubCampaign::plan(const RunRequest& request) const {
  return plan_experiment(request, context_, true).planned.plan;
}

Probe StubCampaign::probe(const RunRequest& request) {
  Progress progress{out_, {}, clock_};
  Interrupts interrupts;
  return probe_cases(request, context_, progress, interrupts, clock_);
}

AbRun StubCampaign::ab(const AbRequest& request) {
  Progress progress{out_, {}, clock_};
  Interrupts interrupts;
  check_request(request);
  return run_ab(request, resolve_arms(request.arms, context_), context_, progress, interrupts,
                clock_, [&](const std::filesystem::path& run_folder) { begun = run_folder; });
}

MeasuredNight StubCampaign::night(const std::vector<RunRequest>& requests,
                                  UnfinishedNight& unfinished, int signal) {
  std::vector<NightExperiment> experiments;
  for (const RunRequest& request : requests) {
    experiments.push_back({request, plan_experiment(request, context_, true)});
  }
  Progress progress{out_, {}, clock_};
  Interrupts interrupts;
  if (signal != 0) (void)::raise(signal);
  return measure_night(experiments, context_, unfinished, progress, interrupts, clock_);
}

std::string StubCampaign::said() {
  std::string text = out_.str();
  out_.str("");
  return text;
}

}  // namespace stepbench::testing
