// SPDX-License-Identifier: Apache-2.0
// What the launches of a night beside its reference program say, series by series. Pure; any
// thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/measure_night.h"
#include "harness/nights/judge.h"
#include "harness/nights/pairs.h"
#include "harness/nights/state.h"
#include "harness/track/import.h"
#include "harness/track/merged_cases.h"

namespace stepbench::campaign {

// What is known of an experiment before its night.
struct BeforeNight {
  std::map<std::string, nights::SeriesState> states = {};  // by series id
  track::MergedCases merged = {};
  std::vector<std::string> unfinished = {};         // ids of series that the night before left
  std::set<std::string, std::less<>> ignored = {};  // ids of series that are not judged
};

struct PairedSeries {
  track::TrackedSeries series = {};  // as the history calls it
  std::string case_id = {};          // as it was measured
  double margin = 0;
  nights::SeriesPairs pairs = {};
};

struct PairedNight {
  track::TrackedRun run = {};             // as its files say
  std::string environment = {};           // track::Cohort::id of tonight's program
  std::vector<PairedSeries> series = {};  // of at least nights::kLeastPairs pairs
  bool tonight_runs = false;  // some launch of a case that is measured in pairs was measured
  bool reference_runs = false;
  std::string tonight_fails = {};  // what failed first, in its own words; empty: nothing did
  std::string reference_fails = {};
  std::vector<std::string> notes = {};  // sentences: that launches failed, that answers differ
};

[[nodiscard]] PairedNight paired_night(const record::Results& results,
                                       const std::filesystem::path& folder,
                                       const PlannedExperiment& experiment,
                                       const BeforeNight& before, const CampaignContext& context);

struct NightBuilds {  // digests
  std::string tonight = {};
  std::string reference = {};
  std::string reference_run = {};  // id of the run whose program that is
};
// Cases of which a series looks as if it had changed. `judged`: series that the whole night judges.
[[nodiscard]] std::vector<OddCase> odd_cases(const PairedNight& night, const NightBuilds& builds,
                                             const BeforeNight& before, std::size_t judged);

}  // namespace stepbench::campaign
