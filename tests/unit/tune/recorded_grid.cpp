// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tune/recorded_grid.h"

#include "harness/base/error.h"
#include "harness/stats/comparisons.h"

namespace stepbench::tune {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

using Table = std::vector<std::vector<double>>;  // by round and point

Table table_of(std::span<const RecordedRound> recorded) {
  Table table;
  for (const RecordedRound& each : recorded) {
    table.emplace_back();
    for (const RecordedLaunch& launch : each) table.back().push_back(launch.step);
  }
  return table;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Values of a point by round, relative to the mean of the round.
std::vector<double> off_the_middle(const Table& table, std::size_t point) {
  std::vector<double> off;
  for (const std::vector<double>& round : table) off.push_back(round[point] - mean_of(round));
  return off;
}

// Effects by point: Hodges-Lehmann estimates over the rounds.
std::vector<double> effects_of(const Table& table) {
  std::vector<double> effects;
  for (std::size_t point = 0; point < table.front().size(); ++point) {
    effects.push_back(stats::hodges_lehmann(off_the_middle(table, point), 0).centre);
  }
  return effects;
}

// Standard deviation of launches after removing the effects of points and rounds.
double sd_of(const Table& table) {
  const std::size_t points = table.front().size();
  double squares = 0;
  for (std::size_t point = 0; point < points; ++point) {
    const std::vector<double> off = off_the_middle(table, point);
    for (const double each : off) squares += std::pow(each - mean_of(off), 2);
  }
  return std::sqrt(squares / static_cast<double>((points - 1) * (table.size() - 1)));
}

std::vector<double> over_the_best(std::vector<double> effects) {
  const double best = *std::ranges::min_element(effects);
  for (double& effect : effects) effect -= best;
  return effects;
}

void scale(std::vector<RecordedRound>& recorded, double factor) {
  const Table table = table_of(recorded);
  const std::vector<double> effects = effects_of(table);
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t point = 0; point < effects.size(); ++point) {
      const double left = table[i][point] - mean_of(table[i]) - effects[point];
      recorded[i][point].step += (factor - 1) * left;
    }
  }
}

}  // namespace

RecordedGrid as_measured(const Recording& recording) {
  const std::size_t half = (recording.rounds.size() + 1) / 2;
  const std::span<const RecordedRound> rounds(recording.rounds);
  const Table replayed = table_of(rounds.first(half));
  const Table kept = table_of(rounds.subspan(half));
  return {.rounds = {recording.rounds.begin(),
                     recording.rounds.begin() + static_cast<std::ptrdiff_t>(half)},
          .truth = over_the_best(effects_of(kept)),
          .cv = sd_of(replayed),
          .truth_sd = sd_of(kept) / std::sqrt(static_cast<double>(kept.size()))};
}

RecordedGrid with_cv(const Recording& recording, double cv) {
  RecordedGrid grid{.rounds = recording.rounds, .truth = {}, .cv = cv, .truth_sd = 0};
  const Table rounds = table_of(grid.rounds);
  grid.truth = over_the_best(effects_of(rounds));
  scale(grid.rounds, cv / sd_of(rounds));
  return grid;
}

std::vector<double> residuals_of(const Recording& recording) {
  const Table table = table_of(recording.rounds);
  const std::vector<double> effects = effects_of(table);
  std::vector<double> residuals;
  for (const std::vector<double>& round : table) {
    for (std::size_t point = 0; point < effects.size(); ++point) {
      residuals.push_back(round[point] - mean_of(round) - effects[point]);
    }
  }
  return residuals;
}

Recording read_recording(const fs::path& file) {
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
    rounds[static_cast<std::size_t>(number("round"))][point] = {.step = std::log(number("step_ns")),
                                                                .wall_s = number("wall_s"),
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
