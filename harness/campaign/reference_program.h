// SPDX-License-Identifier: Apache-2.0
// The reference program of a night (harness/track/reference.h): which kept program it is, and what
// its launches say beside tonight's. Prints nothing. Main thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/campaign/run_experiment.h"
#include "harness/track/reference.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct ReferenceProgram {
  std::string run = {};  // id of the run whose program it is; empty: none is kept yet
  // Planned with that program; nothing: see `why`.
  std::optional<PlannedRun> planned = {};
  std::string why = {};  // a sentence: why there is none though there could be
};

// For an experiment that was planned with tonight's program. Where nothing is kept yet, where the
// kept program is tonight's or where every case asks for `track.reference: suspects` there is none,
// and nothing to say.
[[nodiscard]] ReferenceProgram choose_reference(const RunRequest& request,
                                                const PlannedRun& tonight, track::TrackStore& store,
                                                const CampaignContext& context);

// What a night that was measured beside a reference says, for the history; nothing where there is
// nothing to say. `run`: as the history has it.
[[nodiscard]] std::optional<track::ReferenceNight> reference_night(
    const record::Results& results, const std::filesystem::path& folder,
    const track::TrackedRun& run, const std::string& why, const CampaignContext& context);

}  // namespace stepbench::campaign
