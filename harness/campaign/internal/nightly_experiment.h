// SPDX-License-Identifier: Apache-2.0
// One experiment of a night: its plan, its reference program, its launches, and what both programs'
// launches say by series. Pure, except for night_pairs_of(); any thread.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/internal/context.h"
#include "harness/campaign/internal/reference_program.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"

namespace stepbench::campaign {

struct NightlyExperiment {
  RunRequest request = {};  // without `resume`; its `lock` is ignored: the caller holds the locks
  PlannedRun run = {};
  ChosenReference reference = {};
  // From the history, before tonight.
  std::map<std::string, nights::SeriesState> states = {};  // by series id
  nights::MergedCases merged = {};
  std::set<std::string, std::less<>> ignored = {};  // ids of series that are not judged
  // Tonight's launches.
  std::filesystem::path folder = {};  // empty: not begun
  record::Results results = {};       // everything in `folder`
  std::string error = {};  // why it did not complete; empty: complete, or interrupted by a signal
  std::set<std::string> left = {};  // ids of odd cases that the budget left unfinished
  std::size_t judged = 0;           // number of series with pairs, so far
};

// Planned pairs by case id.
[[nodiscard]] std::map<std::string, int> planned_pairs(const NightlyExperiment& experiment);
// Ids of the cases that both programs measure; empty without a reference program.
[[nodiscard]] std::set<std::string> paired_cases(const NightlyExperiment& experiment);

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
[[nodiscard]] PairedNight paired_night(const NightlyExperiment& experiment,
                                       const CampaignContext& context);

// A case with a series that looks changed.
struct SuspectCase {
  std::string case_id = {};
  double deviation = 0;      // largest over its series: see nights::deviation()
  bool left_before = false;  // not measured further in the previous night, for lack of budget
};
// Returns whether `one` is measured before `other`: first cases left from the previous night, then
// cases that look worse, then larger deviations.
[[nodiscard]] bool comes_before(const SuspectCase& one, const SuspectCase& other);
// `judged`: number of series in the whole night.
[[nodiscard]] std::vector<SuspectCase> suspect_cases(const NightlyExperiment& experiment,
                                                     const PairedNight& night, std::size_t judged);

// Returns the record for the history. If tonight's program becomes the reference, keeps it in
// `keep`, unless that is empty. `run`: as in the history.
[[nodiscard]] nights::NightPairs night_pairs_of(const NightlyExperiment& experiment,
                                                const PairedNight& paired,
                                                const nights::TrackedRun& run, std::size_t judged,
                                                nights::TrackStore& store,
                                                const std::filesystem::path& keep,
                                                const std::string& now_utc);

struct FailedLaunches {
  std::size_t launches = 0;
  std::size_t of = 0;      // not counting skipped launches
  std::string first = {};  // case and reason of the first one
};
// Failed launches of tonight's program.
[[nodiscard]] FailedLaunches failed_launches(const record::Results& results);
// "num_workers=2"
[[nodiscard]] std::string case_name(const record::Results& results, const std::string& case_id);

}  // namespace stepbench::campaign
