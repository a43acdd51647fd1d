// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_words.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/report/history_words.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {

std::string new_level_words(const track::CohortChange& change) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& one, const std::string& many) {
    if (count == 0) return;
    const std::string of = parts.empty() ? " of " + change.experiment : "";
    parts.push_back(text::counted(static_cast<std::int64_t>(count), "series") + of + ' ' +
                    (count == 1 ? one : many));
  };
  add(change.series - change.by_ratio, "begins a new level", "begin a new level");
  add(change.by_ratio, "goes on, by its ratio to the reference program",
      "go on, by their ratios to the reference program");
  return text::join(parts);
}

std::string night_title(const track::Night& night) {
  if (night.runs.empty()) return "no night";
  std::vector<std::string> experiments;
  std::set<std::string> programs;
  std::string first = night.runs.front().started_utc;
  for (const track::TrackedRun& run : night.runs) {
    experiments.push_back(run.experiment);
    programs.insert(program_text(run));
    first = std::min(first, run.started_utc);
  }
  std::string text = "night " + text::minute_text(first) + " on " + night.runs.front().host + ": " +
                     text::join_and(experiments);
  if (programs.size() == 1 && !programs.begin()->empty()) text += " (" + *programs.begin() + ')';
  return text;
}

namespace {

std::string warm_up_words(const track::Night& night) {
  std::size_t least = track::kMinForScreen;
  std::size_t most = 0;
  for (const track::NightSeries& series : night.series) {
    if (series.state != track::NightState::kWarmingUp) continue;
    least = std::min(least, series.points);
    most = std::max(most, series.points);
  }
  return " (" + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most)) +
         " of " + std::to_string(track::kMinForScreen) + " earlier nights)";
}

}  // namespace

std::string counts_text(const track::Night& night) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < track::kNightStates; ++i) {
    const auto state = static_cast<track::NightState>(i);
    const std::size_t count = night.count(state);
    if (count == 0) continue;
    std::string part = std::to_string(count) + ' ' + std::string(name_of(state));
    if (state == track::NightState::kWarmingUp) part += warm_up_words(night);
    parts.push_back(std::move(part));
  }
  const std::string all = text::counted(std::ssize(night.series), "series");
  return parts.empty() ? all : all + ": " + text::join(parts);
}

std::string why_verdict(const track::Night& night) {
  if (night.verdict == track::NightState::kNoData && night.series.empty()) {
    return ": nothing was measured that could be judged";
  }
  if (night.verdict == track::NightState::kNoData && night.count(track::NightState::kNoData) == 0) {
    return night.exit_code == kExitUsage ? ": an experiment broke off" : ": launches failed";
  }
  if (night.verdict == track::NightState::kWarmingUp) return ": too few nights for the screen yet";
  if (night.verdict == track::NightState::kRegression && night.only_known) {
    return ", told in earlier nights";
  }
  if (night.verdict != track::NightState::kOk) return {};
  const auto any = [&](track::NightState state, bool worse) {
    return std::any_of(night.series.begin(), night.series.end(), [&](const auto& series) {
      return series.state == state && series.worse == worse;
    });
  };
  if (any(track::NightState::kReproduced, true)) {
    return ": something was slower when it was measured, by no more than a build may by chance";
  }
  return any(track::NightState::kSuspect, false) || any(track::NightState::kReproduced, false)
             ? ": what moved is better"
             : "";
}

}  // namespace stepbench::report
