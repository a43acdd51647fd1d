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

TrackedRun ConfirmBench::night(const std::string& run_id, const fs::path& worker) const {
  return {.run_id = run_id,
          .started_utc = "2026-02-03T01:00:00Z",
          .experiment = "confirm",
          .host = host_name("/"),
          .build_id = program_build_id(worker),
          .worker_path = worker.string(),
          .config_path = "config.yaml",
          .config_text = yaml_,
          .config_hash = digest(yaml_),
          .asked = {.folder = folder.path().string()}};
}

ConfirmRequest ConfirmBench::request(const fs::path& good, const fs::path& tonight) {
  ConfirmRequest request{.tonight = night("20260203-010000-confirm", tonight),
                         .good = night("20260202-010000-confirm", good),
                         .results = (folder / "results").string(),
                         .lock = LockPolicy::kNone,
                         .allow = {"load", "steal", "drift"},
                         .who = "tester"};
  const WorkerProgram program{tonight, request.tonight.build_id};
  for (const std::string& id : plannable_cases(request.tonight, program, context_).case_ids) {
    request.suspects.push_back({.series = "series of " + id, .case_id = id, .metric = "step_ns"});
  }
  return request;
}

ConfirmedNight ConfirmBench::confirm(const ConfirmRequest& request) {
  TrackStore store = open_store();
  Progress progress{out_, {}, clock_};
  Interrupts interrupts;
  return confirm_suspects(request, store, context_, progress, interrupts, clock_);
}

std::string ConfirmBench::said() {
  std::string text = out_.str();
  out_.str("");
  return text;
}

TrackStore ConfirmBench::open_store() const {
  return TrackStore::open("sqlite:" + (folder / "history.db").string());
}

}  // namespace stepbench::testing
