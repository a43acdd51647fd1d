// SPDX-License-Identifier: Apache-2.0
// What a search for good settings has measured and found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/compare/comparison.h"
#include "harness/compare/tested_metrics.h"
#include "harness/tune/search.h"
#include "harness/tune/tune_agenda.h"

namespace stepbench::tune {

enum class TuneAnswer : std::uint8_t {  // written to disk by name
  kBetter,        // fresh pairs confirm that the winner is better than the file's own settings
  kOwnIsBest,     // no point is better than the file's own settings
  kNotConfirmed,  // a winner, and nobody compared it
  kUndecided,     // fresh pairs do not tell
  kNothing        // nothing could be measured
};
constexpr EnumNames<5> names_of(TuneAnswer) {
  return {"better", "own_is_best", "not_confirmed", "undecided", "nothing"};
}

struct TunedPoint {
  std::string case_id = {};
  std::string label = {};  // "num_workers=2 prefetch_factor=4"
  Fields values = {};      // of the options that vary, by full name
  PointState state = {};
  std::optional<double> value = {};  // median of its launches
  std::size_t last_rung = 0;         // that it began
};

struct TuneRun {
  int exit_status = 0;
  std::optional<int> signal = {};
  std::filesystem::path folder = {};
  TuneAnswer answer = TuneAnswer::kNothing;
  std::vector<TunedPoint> points = {};
  std::size_t own = 0;        // place of the file's own settings
  bool own_is_swept = false;  // the sweep has them too
  std::vector<Rung> rungs = {};
  std::vector<Scored> standing = {};    // the winner first
  std::vector<std::size_t> front = {};  // of the points with two launches: none is better in all
  std::optional<Bound> bound = {};
  compare::TestedMetric objective = {};
  double margin = 0.01;
  std::uint64_t seed = 0;
  Allowance allowance = {};  // of all
  bool stopped = false;      // by it, before the search was over
  double search_s = 0;
  double confirm_s = 0;
  std::size_t launches = 0;     // of the search
  std::size_t thrown_away = 0;  // of these, before the first round
  double sweep_s = 0;  // what the whole sweep is expected to take, 6 launches of every point
  std::optional<compare::MetricResult> confirmed = {};  // of the winner against the own settings
  std::vector<std::string> why_invalid = {};  // gates that forbid to judge it, each a sentence
  std::size_t pairs = 0;                      // of it
  std::filesystem::path confirm_folder = {};
  std::string why_not_confirmed = {};
  std::vector<std::string> changes = {};  // values that the winner has and the file has not
  std::string confirm_command = {};       // that compares the two
  std::filesystem::path tuned_file = {};  // empty: none was written
  bool changes_work = false;              // what varies changes what is computed

  [[nodiscard]] const TunedPoint* winner() const {
    return standing.empty() ? nullptr : &points[standing.front().point];
  }
};

}  // namespace stepbench::tune
