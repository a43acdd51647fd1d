// SPDX-License-Identifier: Apache-2.0
// One campaign of a confirmation: the last good build as arm A, tonight's as arm B, the suspects'
// cases as tonight's run planned them. Main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/confirm_judgement.h"
#include "harness/campaign/confirm_suspects.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {

struct CampaignSetup {
  int number = 1;  // which confirmation
  run::WorkerProgram good;
  run::WorkerProgram tonight;
  std::vector<std::size_t> suspects = {};  // of the request: places
  bool profile = true;                     // launches that tell the operations of a changed case
  std::uint64_t seed = 0;
  std::string resume = {};   // absolute; empty: a new folder
  std::string results = {};  // absolute
};

struct CampaignEnd {
  ConfirmCampaign campaign = {};
  std::optional<int> signal = {};  // that interrupted it
  // Why an arm cannot be planned; nothing was begun then.
  std::optional<std::string> not_planned = {};
  std::optional<std::string> refused = {};              // what changed under the programs
  std::map<std::size_t, ConfirmFinding> findings = {};  // by place of the suspect
};

// `on_start` receives the folder before the first launch. The process's working folder is the one
// from which the night was started while this plans and measures, for the experiment's paths.
// Throws Error.
[[nodiscard]] CampaignEnd run_confirm_campaign(
    const ConfirmRequest& request, const CampaignSetup& setup, const CampaignContext& context,
    run::Progress& progress, run::Interrupts& interrupts, const Clock& clock,
    const std::function<void(const std::filesystem::path&)>& on_start);

// The cases that a program can plan of tonight's experiment, or why it cannot plan it at all.
struct PlannableCases {
  std::vector<std::string> case_ids = {};
  std::string why_not = {};  // empty: it can
  std::string data_digest = {};
};
[[nodiscard]] PlannableCases plannable_cases(const track::TrackedRun& tonight,
                                             const run::WorkerProgram& program,
                                             const CampaignContext& context);

}  // namespace stepbench::campaign
