// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tune/recorded_grid.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <span>
#include <sstream>
#include <utility>

#include "harness/base/error.h"
#include "harness/tune/scores.h"

namespace stepbench::tune {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

Rounds rounds_of(std::span<const RecordedRound> recorded, double RecordedLaunch::*step) {
  Rounds rounds;
  for (const RecordedRound& each : recorded) {
    Round round;
    for (std::size_t point = 0; point < each.size(); ++point) {
      round.values.push_back({point, each[point].*step});
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// By point, over the middle of all.
std::vector<double> effects_of(const Rounds& rounds) {
  std::vector<std::size_t> all(rounds.front().values.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> effects(all.size());
  for (const Scored& each : scores_of(rounds, all)) effects[each.point] = each.score;
  return effects;
}

std::vector<double> over_the_best(std::vector<double> effects) {
  const double best = *std::ranges::min_element(effects);
  for (double& effect : effects) effect -= best;
  return effects;
}

double centre_of(const Round& round) {
  double sum = 0;
  for (const RoundValue& each : round.values) sum += each.log_value;
  return sum / static_cast<double>(round.values.size());
}

void scale(std::vector<RecordedRound>& recorded, double RecordedLaunch::*step, double factor) {
  const Rounds rounds = rounds_of(recorded, step);
  const std::vector<double> effects = effects_of(rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const double centre = centre_of(rounds[i]);
    for (const RoundValue& each : rounds[i].values) {
      const double left = each.log_value - centre - effects[each.point];
      recorded[i][each.point].*step += (factor - 1) * left;
    }
  }
}

}  // namespace

RecordedGrid as_measured(const Recording& recording) {
  const std::size_t half = (recording.rounds.size() + 1) / 2;
  const std::span<const RecordedRound> rounds(recording.rounds);
  const Rounds replayed = rounds_of(rounds.first(half), &RecordedLaunch::step);
  const Rounds kept = rounds_of(rounds.subspan(half), &RecordedLaunch::step);
  return {.rounds = {recording.rounds.begin(),
                     recording.rounds.begin() + static_cast<std::ptrdiff_t>(half)},
          .truth = over_the_best(effects_of(kept)),
          .cv = spread_of(replayed).sd,
          .truth_sd = spread_of(kept).sd / std::sqrt(static_cast<double>(kept.size()))};
}

RecordedGrid with_cv(const Recording& recording, double cv) {
  RecordedGrid grid{.rounds = recording.rounds, .truth = {}, .cv = cv, .truth_sd = 0};
  const Rounds rounds = rounds_of(grid.rounds, &RecordedLaunch::step);
  grid.truth = over_the_best(effects_of(rounds));
  const double factor = cv / spread_of(rounds).sd;
  scale(grid.rounds, &RecordedLaunch::step, factor);
  scale(grid.rounds, &RecordedLaunch::short_step, factor);
  return grid;
}

Recording read_recording(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& why) { throw Error(file.string() + ": " + why); };
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> heads = cells_of(line);
  const auto options = std::ranges::find(heads, "round");
  Recording recording{.name = file.stem().string()};
  std::map<std::size_t, std::map<std::size_t, RecordedLaunch>> rounds;
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != heads.size()) fail("`" + line + "` has another number of cells");
    std::map<std::string, std::string> values;
    std::map<std::string, std::string> own;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      values[heads[i]] = cells[i];
      if (i > 0 && i < static_cast<std::size_t>(options - heads.begin())) own[heads[i]] = cells[i];
    }
    const auto number = [&](const std::string& name) { return std::stod(values.at(name)); };
    const auto point = static_cast<std::size_t>(number("point"));
    if (recording.points.size() <= point) recording.points.resize(point + 1);
    recording.points[point] = std::move(own);
    rounds[static_cast<std::size_t>(number("round"))][point] = {
        .step = std::log(number("step_ns")),
        .short_step = std::log(number("short_step_ns")),
        .wall_s = number("wall_s"),
        .short_wall_s = number("short_wall_s"),
        .wait_ns = number("wait_ns"),
        .worker_ns = number("worker_ns")};
  }
  for (const auto& [name, launches] : rounds) {
    RecordedRound round;
    for (const auto& [point, launch] : launches) round.push_back(launch);
    if (round.size() != recording.points.size()) {
      fail("round " + std::to_string(name) + " is not whole");
    }
    recording.rounds.push_back(std::move(round));
  }
  if (recording.rounds.size() < 4) fail("has fewer than four rounds");
  return recording;
}

}  // namespace stepbench::tune
