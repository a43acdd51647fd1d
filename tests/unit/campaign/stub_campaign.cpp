// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/campaign/stub_campaign.h"

#include <csignal>

namespace stepbench::testing {

StubCampaign::StubCampaign(const std::string& yaml)
    : context_{.built_in = {.catalogue = no_workloads_},
               .argv = {"stepbench", "test"},
               .variables = {{"XDG_CACHE_HOME", (folder / "cache").string()}},
               .stepbench_version = "0.0.0"} {
  folder.write("config.yaml", yaml);
}

campaign::RunRequest StubCampaign::run_request() const {
  campaign::RunRequest request;
  request.file = (folder / "config.yaml").string();
  request.results = (folder / "results").string();
  request.worker = STUB_WORKER;
  request.lock = campaign::LockPolicy::kNone;
  return request;
}

campaign::AbRequest StubCampaign::ab_request() const {
  campaign::AbRequest request;
  static_cast<campaign::RunRequest&>(request) = run_request();
  request.a.worker = STUB_WORKER;
  request.b.worker = STUB_WORKER;
  request.pairs = 10;
  request.seed = 1;
  request.margins = {"peak_bytes=50%"};
  request.allow = {"load", "steal"};
  return request;
}

campaign::RunEnd StubCampaign::run(const campaign::RunRequest& request) {
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  return campaign::run_experiment(request, campaign::plan_experiment(request, context_, true),
                                  {context_, progress, interrupts, clock_});
}

plan::Plan StubCampaign::plan(const campaign::RunRequest& request) const {
  return campaign::plan_experiment(request, context_, true).planned.plan;
}

campaign::Probe StubCampaign::probe(const campaign::RunRequest& request) {
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  return campaign::probe_cases(request, {context_, progress, interrupts, clock_});
}

campaign::MachineRun StubCampaign::machine(const campaign::MachineCases& cases, double seconds) {
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  return campaign::measure_machine(cases, seconds, run_request(),
                                   {context_, progress, interrupts, clock_});
}

campaign::AbRun StubCampaign::ab(const campaign::AbRequest& request) {
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  campaign::check_request(request);
  return campaign::run_ab(request, campaign::resolve_arms(request, context_),
                          {context_, progress, interrupts, clock_},
                          [&](const fs::path& run_folder) { begun = run_folder; });
}

MeasuredNight StubCampaign::night(const std::vector<campaign::RunRequest>& requests,
                                  campaign::UnfinishedNight& unfinished, int signal) {
  MeasuredNight night;
  for (const campaign::RunRequest& request : requests) {
    night.experiments.push_back({request, campaign::plan_experiment(request, context_, true)});
  }
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  if (signal != 0) (void)::raise(signal);
  night.signal = campaign::measure_night(night.experiments, {}, unfinished,
                                         {context_, progress, interrupts, clock_});
  return night;
}

std::string StubCampaign::said() {
  std::string text = out_.str();
  out_.str("");
  return text;
}

}  // namespace stepbench::testing
