// SPDX-License-Identifier: Apache-2.0
// Chooses the reference program of a night, records the night's pairs in the history, and
// determines the next night's reference. Prints nothing. Main thread only.
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
  std::string experiment = {};  // name in the history, including its branch
  NightProgram tonight = {};
  nights::StoredReference stored_program = {};
  std::optional<PairedReference> paired_reference = {};  // nullopt: see `why`
  nights::NightReason why = nights::NightReason::kMeasured;
  std::string reason = {};  // a sentence, if `why` is not enough
};
// `tonight` must have been planned with tonight's program.
[[nodiscard]] ChosenReference choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                               track::TrackStore& store, std::string_view host,
                                               const CampaignContext& context);

// `today`: e.g. 2026-01-31.
[[nodiscard]] BeforeNight before_night(const ChosenReference& reference, track::TrackStore& store,
                                       std::string_view host, std::string_view today);

// Returns the record for the history. If tonight's program becomes the reference, keeps it in
// `keep`, unless that is empty. `run`: as in the history; `left`: ids of cases left unfinished for
// lack of budget; `judged`: number of series judged in the whole night.
[[nodiscard]] nights::NightPairs night_of_reference(
    const ChosenReference& reference, const PairedNight& paired, const track::TrackedRun& run,
    const std::set<std::string>& left, std::size_t judged, track::TrackStore& store,
    const std::filesystem::path& keep, const std::string& now_utc);

// The experiment's name, with @BRANCH appended if a label names a branch other than `track.main`.
[[nodiscard]] std::string tracked_name(const plan::Plan& plan,
                                       const std::vector<std::string>& labels);

}  // namespace stepbench::campaign
