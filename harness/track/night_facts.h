// SPDX-License-Identifier: Apache-2.0
// All that a night is judged by, looked up once. Read-only after it was made; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/track/bridge.h"
#include "harness/track/level.h"
#include "harness/track/margins.h"
#include "harness/track/night.h"
#include "harness/track/reference.h"
#include "harness/track/screen.h"
#include "harness/track/unusable_programs.h"

namespace stepbench::track {

class NightFacts {
 public:
  // `input` outlives this.
  explicit NightFacts(const NightInput& input);

  [[nodiscard]] const NightInput& input() const { return input_; }
  [[nodiscard]] const AlertLog& log() const { return log_; }
  [[nodiscard]] const LevelFacts& levels() const { return levels_; }
  [[nodiscard]] const Bridges& bridges() const { return bridges_; }
  [[nodiscard]] const UnusablePrograms& unusable() const { return *unusable_; }
  [[nodiscard]] const ReferenceLog& references() const;

  // Tonight's, one of each experiment.
  [[nodiscard]] const std::vector<TrackedRun>& runs() const { return runs_; }
  [[nodiscard]] const std::string& newest_utc() const { return newest_utc_; }
  [[nodiscard]] const std::string& first_utc() const { return first_utc_; }
  [[nodiscard]] std::string date() const;  // 2026-01-31
  // Null: not tonight.
  [[nodiscard]] const TrackedRun* tonights_run(std::string_view experiment) const;

  [[nodiscard]] const TrackedRun* run_named(std::string_view id) const;
  [[nodiscard]] const TrackedRun& run_of(const SeriesHistory& series, std::size_t point) const {
    return input_.history.runs.at(series.points.at(point).run);
  }
  // Index of tonight's point, or nothing.
  [[nodiscard]] std::optional<std::size_t> point_tonight(const SeriesHistory& series) const;
  // Index of the newest of tonight's runs of that run's experiment, in the history.
  [[nodiscard]] std::size_t tonight_index(const TrackedRun& last) const;
  // Within the newest three nights of this host.
  [[nodiscard]] bool is_recent(std::string_view run) const;

  [[nodiscard]] bool is_ignored(std::string_view series) const;
  // Its newest point is of another program's file.
  [[nodiscard]] bool is_imported(const SeriesHistory& series) const;
  // Clean, and its program is there.
  [[nodiscard]] bool is_kept(const TrackedRun& run) const;
  [[nodiscard]] ScreenOptions screen_of_series(const SeriesHistory& series) const;
  // The change of it that does not matter, as that run says.
  [[nodiscard]] double margin_of(const SeriesHistory& series, const TrackedRun& run) const;
  // Of that run's control case; null: it has none.
  [[nodiscard]] const ScreenAnswer* control_of(std::string_view run) const;

 private:
  void screen_control_cases();

  const NightInput& input_;
  RunTimes times_;
  AlertLog log_;
  LevelFacts levels_;
  Bridges bridges_;
  std::optional<UnusablePrograms> unusable_;
  std::optional<ReferenceLog> own_references_;
  std::vector<TrackedRun> runs_;
  std::unordered_map<std::string_view, const TrackedRun*> by_id_;
  std::string newest_utc_;
  std::string first_utc_;
  std::vector<bool> is_tonight_;  // by index of the history's runs
  std::set<std::string, std::less<>> ignored_;
  std::map<std::string, ScreenAnswer, std::less<>> controls_;  // by run id
  std::map<std::string, RunMargins, std::less<>> margins_;     // by run id, of tonight's
};

[[nodiscard]] std::vector<double> values_at(const SeriesHistory& series,
                                            std::span<const std::size_t> points);

}  // namespace stepbench::track
