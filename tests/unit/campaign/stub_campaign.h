// SPDX-License-Identifier: Apache-2.0
// An experiment on the stub worker, measured by the library from this process.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "harness/campaign/measure_night.h"
#include "harness/campaign/probe.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "tests/temporary_folder.h"

namespace stepbench::testing {

class StubCampaign {
 public:
  explicit StubCampaign(const std::string& yaml);

  [[nodiscard]] RunRequest run_request() const;
  [[nodiscard]] AbRequest ab_request() const;
  [[nodiscard]] RunEnd run(const RunRequest& request);
  [[nodiscard]] Plan plan(const RunRequest& request) const;
  [[nodiscard]] Probe probe(const RunRequest& request);
  [[nodiscard]] AbRun ab(const AbRequest& request);
  // `signal`: comes before the first launch; 0: none does.
  [[nodiscard]] MeasuredNight night(const std::vector<RunRequest>& requests,
                                    UnfinishedNight& unfinished, int signal = 0);
  // What progress was said since the last call.
  [[nodiscard]] std::string said();

  test::TemporaryFolder folder;
  std::filesystem::path begun;  // the folder of which run_ab() told

 private:
  Catalogue no_workloads_;
  CampaignContext context_;
  HostClock clock_;
  std::ostringstream out_;
};

}  // namespace stepbench::testing
