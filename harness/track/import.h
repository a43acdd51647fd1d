// SPDX-License-Identifier: Apache-2.0
// What of result files goes into the history: for each run its measured launches as a few numbers
// each. Only timing launches of rank 0 count; what is left out is counted. Pure; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/record/reader.h"
#include "harness/track/history.h"
#include "harness/track/points.h"
#include "harness/track/series.h"

namespace stepbench::track {

struct ImportOptions {
  // A night dated more than a day beyond this is noted.
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
  // Options with its defaults do not name a series. Null: the harness's own.
  const Catalogue* catalogue = nullptr;
};

// Options that name a case: those that differ from the defaults, and all that were swept.
[[nodiscard]] OptionValues naming_options(const OptionValues& options,
                                          const std::vector<std::string>& swept,
                                          const Catalogue& catalogue);

struct ImportReport {
  std::vector<std::string> runs = {};  // ids of those that have anything in the history
  std::size_t new_launches = 0;
  std::size_t known_launches = 0;  // there already, the same
  std::size_t points = 0;          // new or renewed
  // Launches that were left out, by why: "smoke", "profiled", "wrapped", "an arm of ab", "failed".
  // A failed one is known to the history, as a gap.
  std::vector<std::pair<std::string, std::size_t>> left_out = {};
  std::vector<std::string> conflicts = {};  // sentences: another content under a known key
  std::vector<std::string> notes = {};

  ImportReport& operator+=(const ImportReport& other);
};

struct ImportedLaunch {
  LaunchValues values = {};  // without any: it failed or was skipped, a gap
  int attempt = 0;
  Outcome outcome = {};
  std::string cohort = {};  // Cohort::id
  std::string digest = {};  // of all that is kept of it
};

struct ImportedCase {
  std::string case_id = {};
  std::string workload = {};
  OptionValues options = {};
  Fields machine = {};
  bool control = false;
  std::string peak = {};                      // which metric `peak_bytes` is of it
  std::vector<ImportedLaunch> launches = {};  // by number
  std::map<std::string, SeriesMetric, std::less<>> metrics = {};  // beyond those of every case
};

struct ImportedRun {
  TrackedRun run = {};
  bool is_shard = false;  // several machines share its id
  std::vector<ImportedCase> cases = {};
};

struct Import {
  std::vector<ImportedRun> runs = {};
  std::vector<Cohort> cohorts = {};                                // by id
  std::vector<std::pair<std::string, std::size_t>> left_out = {};  // launches, by why
  std::vector<std::string> notes = {};
};

// `folder`: where the files lie.
[[nodiscard]] Import import_of(const record::Results& results, const std::filesystem::path& folder,
                               const ImportOptions& options);

// The series of a metric of a case.
[[nodiscard]] TrackedSeries series_of(const ImportedCase& one, const std::string& metric);

}  // namespace stepbench::track
