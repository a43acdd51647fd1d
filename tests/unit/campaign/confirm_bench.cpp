// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/campaign/confirm_bench.h"

#include "harness/base/digest.h"
#include "harness/campaign/confirm_campaign.h"
#include "harness/machine/environment.h"

namespace stepbench::testing {

namespace fs = std::filesystem;

ConfirmBench::ConfirmBench(const std::string& yaml)
    : context_{.built_in = {.catalogue = no_workloads_},
               .argv = {"stepbench", "test"},
               .variables = {{"PATH", "/usr/bin:/bin"}},
               .stepbench_version = "0.0.0"},
      yaml_(yaml) {
  folder.write("config.yaml", yaml);
}

fs::path ConfirmBench::make_build(const std::string& name, const std::string& settings,
                                  const std::string& before) {
  const std::string file = "builds/" + name + "/worker";
  folder.write(file, "#!/bin/sh\n# build " + name + "\n" + before + settings + " exec " +
                         STUB_WORKER + " \"$@\"\n");
  fs::permissions(folder / file, fs::perms::owner_all);
  return folder / file;
}

track::TrackedRun ConfirmBench::night(const std::string& run_id, const fs::path& worker) const {
  return {.run_id = run_id,
          .started_utc = "2026-02-03T01:00:00Z",
          .experiment = "confirm",
          .host = machine::host_name("/"),
          .build_id = run::program_build_id(worker),
          .worker_path = worker.string(),
          .config_path = "config.yaml",
          .config_text = yaml_,
          .config_hash = digest(yaml_),
          .asked = {.folder = folder.path().string()}};
}

campaign::ConfirmRequest ConfirmBench::request(const fs::path& good, const fs::path& tonight) {
  campaign::ConfirmRequest request{.tonight = night("20260203-010000-confirm", tonight),
                                   .good = night("20260202-010000-confirm", good),
                                   .results = (folder / "results").string(),
                                   .lock = campaign::LockPolicy::kNone,
                                   .allow = {"load", "steal", "drift"},
                                   .who = "tester"};
  const run::WorkerProgram program{tonight, request.tonight.build_id};
  for (const std::string& id :
       campaign::plannable_cases(request.tonight, program, context_).case_ids) {
    request.suspects.push_back({.series = "series of " + id, .case_id = id, .metric = "step_ns"});
  }
  return request;
}

campaign::ConfirmedNight ConfirmBench::confirm(const campaign::ConfirmRequest& request) {
  track::TrackStore store = open_store();
  run::Progress progress{out_, {}, clock_};
  run::Interrupts interrupts;
  return campaign::confirm_suspects(request, store, context_, progress, interrupts, clock_);
}

std::string ConfirmBench::said() {
  std::string text = out_.str();
  out_.str("");
  return text;
}

track::TrackStore ConfirmBench::open_store() const {
  return track::TrackStore::open("sqlite:" + (folder / "history.db").string());
}

}  // namespace stepbench::testing
