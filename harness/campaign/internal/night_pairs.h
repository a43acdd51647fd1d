// SPDX-License-Identifier: Apache-2.0
// Results of a night measured together with its reference program, by series. Pure; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/internal/context.h"
#include "harness/campaign/internal/measure_night.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"

namespace stepbench::campaign {

struct BeforeNight {
  std::map<std::string, nights::SeriesState> states = {};  // by series id
  nights::MergedCases merged = {};
  std::vector<std::string> unfinished = {};         // series ids, from the previous night
  std::set<std::string, std::less<>> ignored = {};  // ids of series that are not judged
};

struct PairedSeries {
  nights::TrackedSeries series = {};  // as in the history
  std::string case_id = {};           // as measured
  double margin = 0;
  nights::SeriesPairs pairs = {};
};

struct PairedNight {
  nights::TrackedRun run = {};  // from its files
  // nights::Cohort::id of the reference program; of tonight's if that was not measured.
  std::string environment = {};
  std::vector<PairedSeries> series = {};  // with at least nights::kMinPairs pairs
  bool tonight_runs = false;              // at least one launch of a paired case was measured
  bool reference_runs = false;
  std::string tonight_fails = {};  // message of the first failure; empty: none
  std::string reference_fails = {};
  std::vector<std::string> notes = {};  // sentences, e.g. that launches failed or results differ
};

[[nodiscard]] PairedNight paired_night(const record::Results& results,
                                       const std::filesystem::path& folder,
                                       const PlannedExperiment& experiment,
                                       const BeforeNight& before, const CampaignContext& context);

// Cases with a series that looks changed. `tonight`: only the programs need be known. `judged`:
// number of series in the whole night.
[[nodiscard]] std::vector<SuspectCase> suspect_cases(const PairedNight& night,
                                                     nights::Tonight tonight,
                                                     const BeforeNight& before, std::size_t judged);

}  // namespace stepbench::campaign
