// SPDX-License-Identifier: Apache-2.0
// replay_grids FILE...: replays searches on recorded grids of settings. Prints one line of JSON for
// each grid as measured and for each with launches that vary by 1 and by 3 %. The line also has the
// grid's points and values, for tune_regret.py to replay other searches on.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "harness/json/json_text.h"
#include "tests/unit/tune/replay.h"

namespace stepbench::tune {
namespace {

constexpr std::uint64_t kSearches = 1000;
constexpr double kRegret = 0.02;

using Search = std::function<Replayed(std::uint64_t)>;

// Returns the search's cost.
double add_row(json::JsonText& json, const std::string& name, const Search& search) {
  double regret = 0;
  double good = 0;
  double cost = 0;
  for (std::uint64_t seed = 1; seed <= kSearches; ++seed) {
    const Replayed replayed = search(seed);
    regret += replayed.regret;
    good += replayed.regret <= kRegret ? 1 : 0;
    cost += replayed.cost;
  }
  const auto count = static_cast<double>(kSearches);
  json.open_object(name)
      .number("good", good / count)
      .number("mean", regret / count)
      .number("cost", cost / count)
      .close_object();
  return cost / count;
}

std::string line_of(const Recording& recording, const RecordedGrid& grid, bool is_measured) {
  json::JsonText json;
  json.open_object()
      .text("grid", recording.name)
      .flag("as_measured", is_measured)
      .integer("rounds", static_cast<std::int64_t>(grid.rounds.size()))
      .number("cv", grid.cv)
      .number("truth_sd", grid.truth_sd)
      .numbers("truth", grid.truth);
  json.open_array("points");
  for (const auto& point : recording.points) {
    json.open_object();
    for (const auto& [option, value] : point) json.text(option, value);
    json.close_object();
  }
  json.close_array();
  for (const bool is_wall : {false, true}) {
    json.open_array(is_wall ? "wall_s" : "steps");
    for (const RecordedRound& round : grid.rounds) {
      std::vector<double> values;
      for (const RecordedLaunch& launch : round) {
        values.push_back(is_wall ? launch.wall_s : launch.step);
      }
      json.open_object().numbers("values", values).close_object();
    }
    json.close_array();
  }
  json.open_object("searches");
  const double budget =
      add_row(json, "tune", [&](std::uint64_t seed) { return replay_tune(grid, seed); });
  add_row(json, "random", [&](std::uint64_t seed) { return replay_random(grid, budget, seed); });
  add_row(json, "halving",
          [&](std::uint64_t seed) { return replay_plain_halving(grid, budget, seed); });
  add_row(json, "sweep", [&](std::uint64_t seed) { return replay_sweep(grid, seed); });
  return json.close_object().close_object().take();
}

}  // namespace
}  // namespace stepbench::tune

int main(int count, char** words) {
  using namespace stepbench::tune;
  try {
    for (int i = 1; i < count; ++i) {
      const Recording recording = read_recording(words[i]);
      std::cout << line_of(recording, as_measured(recording), true) << '\n';
      for (const double cv : {0.01, 0.03}) {
        std::cout << line_of(recording, with_cv(recording, cv), false) << '\n';
      }
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
