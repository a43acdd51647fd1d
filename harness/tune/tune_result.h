// SPDX-License-Identifier: Apache-2.0
// The measurements and the answer of a search for good settings, and its files: tuning.json, for
// other programs, and tuned.yaml, the winner as an experiment. One thread; throws ConfigError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/tune/internal/search.h"
#include "harness/tune/internal/tune_agenda.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::tune {

enum class TuneAnswer : std::uint8_t {  // written to disk by name
  kBetter,        // fresh pairs confirm that the winner is better than the file's own settings
  kOwnIsBest,     // no point is better than the file's own settings
  kNotConfirmed,  // there is a winner, but it was not compared
  kUndecided,     // fresh pairs are inconclusive
  kNothing        // nothing could be measured
};
constexpr EnumNames<5> names_of(TuneAnswer) {
  return {"better", "own_is_best", "not_confirmed", "undecided", "nothing"};
}

struct TunedPoint {
  std::string case_id = {};
  std::string label = {};  // "num_workers=2 prefetch_factor=4"
  Fields values = {};      // varying options, by full name
  PointState state = {};
  std::optional<double> value = {};  // median of its launches
  std::size_t last_rung = 0;         // the last rung that it entered
};

struct TuneRun {
  int exit_status = 0;
  std::optional<int> signal = {};
  std::filesystem::path folder = {};
  TuneAnswer answer = TuneAnswer::kNothing;
  std::vector<TunedPoint> points = {};
  std::size_t own = 0;        // index of the file's own settings
  bool own_is_swept = false;  // they are also in the sweep
  std::vector<Rung> rungs = {};
  std::vector<Scored> standing = {};    // winner first
  std::vector<std::size_t> front = {};  // Pareto front of points with at least two launches
  std::optional<Bound> bound = {};
  verdict::TestedMetric objective = {};
  double margin = 0.01;
  std::uint64_t seed = 0;
  Allowance allowance = {};  // for search and confirmation
  bool stopped = false;      // by the allowance, before the search was over
  double search_s = 0;
  double confirm_s = 0;
  std::size_t launches = 0;   // the search's
  std::size_t discarded = 0;  // warm-up launches among these
  double sweep_s = 0;         // estimate for the whole sweep, with 6 launches per point
  std::optional<verdict::MetricResult> confirmed = {};  // winner against own settings
  std::vector<std::string> why_invalid = {};  // gates that forbid a verdict, each a sentence
  std::size_t pairs = 0;                      // pairs of the confirmation
  std::filesystem::path confirm_folder = {};
  std::string why_not_confirmed = {};
  std::vector<std::string> changes = {};  // winner's values that differ from the file's
  std::string confirm_command = {};       // compares the two
  std::filesystem::path tuned_file = {};  // empty: none written
  bool changes_work = false;              // varying options change what is computed

  [[nodiscard]] const TunedPoint* winner() const {
    return standing.empty() ? nullptr : &points[standing.front().point];
  }
};

// The files in a search's folder besides launches.

inline constexpr const char* kTuningFile = "tuning.json";
inline constexpr const char* kTunedFile = "tuned.yaml";
// The experiment without its sweep, which the confirmation compares with.
inline constexpr const char* kOwnFile = "own.yaml";
inline constexpr std::string_view kTuningSchema = "stepbench.tuning";
inline constexpr std::string_view kTuningVersion = "2.0.0";

[[nodiscard]] std::string tuning_json(const TuneRun& run);
void write_tuning_file(const TuneRun& run);  // into the search's folder
// The comment at the top of the winner's experiment.
[[nodiscard]] std::string tuned_header(const TuneRun& run);

}  // namespace stepbench::tune
