// SPDX-License-Identifier: Apache-2.0
// The reference program of a night: which one it is, what the night beside it is for the history,
// and which one the next night has. Prints nothing. Main thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/campaign/night_pairs.h"
#include "harness/campaign/night_program.h"
#include "harness/nights/pairs.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct ChosenReference {
  std::string experiment = {};  // as the history names it: with its branch
  NightProgram tonight = {};
  nights::KeptReference kept = {};
  std::optional<Beside> beside = {};  // nothing: see `why`
  nights::Why why = nights::Why::kMeasured;
  std::string reason = {};  // a sentence, where `why` is not enough
};
// For an experiment that was planned with tonight's program.
[[nodiscard]] ChosenReference choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                               track::TrackStore& store, std::string_view host,
                                               const CampaignContext& context);

// `today`: 2026-01-31.
[[nodiscard]] BeforeNight before_night(const ChosenReference& reference, track::TrackStore& store,
                                       std::string_view host, std::string_view today);

// For the history. Where a reference begins tonight's program is kept in `keep`, unless that is
// empty. `run`: as the history has it; `left`: ids of cases that the budget left; `judged`: series
// that the whole night judges.
[[nodiscard]] nights::NightPairs night_of_reference(
    const ChosenReference& reference, const PairedNight& paired, const track::TrackedRun& run,
    const std::set<std::string>& left, std::size_t judged, track::TrackStore& store,
    const std::filesystem::path& keep, const std::string& now_utc);

// The experiment's name, and @BRANCH where a label says another one than `track.main`.
[[nodiscard]] std::string tracked_name(const plan::Plan& plan,
                                       const std::vector<std::string>& labels);

}  // namespace stepbench::campaign
