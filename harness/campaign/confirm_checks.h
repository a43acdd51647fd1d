// SPDX-License-Identifier: Apache-2.0
// What is looked at before a confirmation measures anything: the two programs, and whether a
// difference between them could be the programs'. Starts no worker, but to plan an experiment that
// names files.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "harness/campaign/confirm_suspects.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {

struct ConfirmPrograms {
  run::WorkerProgram good;
  run::WorkerProgram tonight;
};

// Why none of the suspects is measured, and the state that they have then.
struct ConfirmRefusal {
  track::AlertState state = track::AlertState::kSuspect;
  std::string why = {};
};

// Throws ConfigError where --good is no program.
[[nodiscard]] std::variant<ConfirmPrograms, ConfirmRefusal> programs_to_confirm(
    const ConfirmRequest& request, std::span<const track::KeptBuild> kept,
    const CampaignContext& context);

// The first digits of a build id, for people.
[[nodiscard]] std::string short_build(const std::string& build_id);

}  // namespace stepbench::campaign
