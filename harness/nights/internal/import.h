// SPDX-License-Identifier: Apache-2.0
// Imports result files into the history: reduces each measured launch of a run to a few numbers.
// Only timing launches of rank 0; omitted launches are counted. Pure; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/nights/history.h"
#include "harness/record/result_file.h"

namespace stepbench::nights {

struct ImportOptions {
  // Nights dated more than a day after this are noted.
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
  // Options equal to its defaults do not identify a series. Null: the harness's own catalogue.
  const Catalogue* catalogue = nullptr;
};

// Options that identify a case: those that differ from the defaults, and all swept ones.
[[nodiscard]] OptionValues naming_options(const OptionValues& options,
                                          const std::vector<std::string>& swept,
                                          const Catalogue& catalogue);

struct ImportReport {
  std::vector<std::string> runs = {};  // ids of runs with anything in the history
  std::size_t new_launches = 0;
  std::size_t known_launches = 0;  // already present, with the same content
  std::size_t points = 0;          // new or updated
  // Omitted launches, by reason: "smoke", "profiled", "wrapped", "an arm of ab", "failed". A failed
  // launch is recorded in the history as a gap.
  std::vector<std::pair<std::string, std::size_t>> exclusions = {};
  std::vector<std::string> conflicts = {};  // sentences: different content under an existing key
  std::vector<std::string> notes = {};

  ImportReport& operator+=(const ImportReport& other);
};

// Points of a case's series from its launches: the same estimates as harness/estimate, from the
// values kept in the history.

// Values kept of one measured launch.
struct LaunchValues {
  int launch = 0;
  std::int64_t steps = 0;
  std::map<std::string, double, std::less<>> values = {};  // by series metric; finite
};

struct CasePoint {
  std::string metric = {};
  double value = 0;
  double low = 0;
  double high = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 0;  // per launch; 0: they differ
};

// Sorted by metric. For a step or a peak: the median over launches with its 95 % interval, or the
// value itself with fewer than six launches. For a phase: the value of the launches whose step is
// the case's, so that phases sum to the step.
[[nodiscard]] std::vector<CasePoint> case_points(std::span<const LaunchValues> launches);

struct ImportedLaunch {
  LaunchValues values = {};  // empty: failed or skipped; a gap
  int attempt = 0;
  Outcome outcome = {};
  std::string cohort = {};  // Cohort::id
  std::string digest = {};  // digest of everything that is kept of it
};

struct ImportedCase {
  std::string case_id = {};
  std::string workload = {};
  OptionValues options = {};
  Fields machine = {};
  bool control = false;
  std::string peak = {};                      // the metric that `peak_bytes` holds
  std::vector<ImportedLaunch> launches = {};  // sorted by number
  std::map<std::string, SeriesMetric, std::less<>> metrics = {};  // metrics that not every case has
};

struct ImportedRun {
  TrackedRun run = {};
  bool is_shard = false;  // several machines share its run id
  std::vector<ImportedCase> cases = {};
};

struct Import {
  std::vector<ImportedRun> runs = {};
  std::vector<Cohort> cohorts = {};                                  // sorted by id
  std::vector<std::pair<std::string, std::size_t>> exclusions = {};  // launches, by reason
  std::vector<std::string> notes = {};
};

// `folder`: location of the files.
[[nodiscard]] Import import_of(const record::Results& results, const std::filesystem::path& folder,
                               const ImportOptions& options);

[[nodiscard]] TrackedSeries series_of(const ImportedCase& one, const std::string& metric);

}  // namespace stepbench::nights
