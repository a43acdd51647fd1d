// SPDX-License-Identifier: Apache-2.0
// An experiment on the stub worker, measured by the library in this process.
#pragma once

#include "harness/campaign/examine_machine.h"
#include "harness/campaign/internal/measure_night.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::testing {

struct MeasuredNight {
  std::vector<campaign::NightlyExperiment> experiments = {};
  std::optional<int> signal = {};
};

class StubCampaign {
 public:
  explicit StubCampaign(const std::string& yaml);

  [[nodiscard]] campaign::RunRequest run_request() const;
  [[nodiscard]] campaign::AbRequest ab_request() const;
  [[nodiscard]] campaign::RunEnd run(const campaign::RunRequest& request);
  [[nodiscard]] plan::Plan plan(const campaign::RunRequest& request) const;
  [[nodiscard]] campaign::Probe probe(const campaign::RunRequest& request);
  [[nodiscard]] campaign::MachineRun machine(const campaign::MachineCases& cases, double seconds);
  [[nodiscard]] campaign::AbRun ab(const campaign::AbRequest& request);
  // `signal`: raised before the first launch; 0: none.
  [[nodiscard]] MeasuredNight night(const std::vector<campaign::RunRequest>& requests,
                                    campaign::UnfinishedNight& unfinished, int signal = 0);
  // The progress output since the last call.
  [[nodiscard]] std::string said();

  test::TemporaryFolder folder;
  fs::path begun;  // the folder reported by run_ab()

 private:
  Catalogue no_workloads_;
  campaign::CampaignContext context_;
  HostClock clock_;
  std::ostringstream out_;
};

}  // namespace stepbench::testing
