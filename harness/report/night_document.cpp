// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/alert_paragraph.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/history_words.h"
#include "harness/report/night_words.h"
#include "harness/report/series_names.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownChanges = 8;  // of the environment
constexpr std::size_t kChartedNights = 120;

bool has_moved(const track::NightSeries& series) {
  return series.state != track::NightState::kOk && series.state != track::NightState::kWarmingUp &&
         series.state != track::NightState::kIgnored &&
         series.state != track::NightState::kFutureDated;
}

// In one unit with what stands beside it.
document::Cell amount_cell(const std::optional<double>& value, const std::optional<double>& beside,
                           const track::NightSeries& series) {
  if (!value || !std::isfinite(*value)) return "-";
  if (!beside || series.series.unit != "ns")
    return {amount_text(*value, series.series.unit), value};
  return {compared_values(*value, *beside, "ns").first, value};
}

document::Cell score_cell(const std::optional<double>& score) {
  if (!score) return "-";
  if (!std::isfinite(*score)) return *score > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  const double tenths = std::round(10 * *score) / 10 + 0.0;  // 0.0 and not -0.0
  std::snprintf(text.data(), text.size(), "%.1f", tenths);
  return {text.data(), score};
}

std::string run_date(const track::History& history, const std::string& id) {
  if (id.empty()) return "-";
  const track::TrackedRun* run = history.find_run(id);
  return run == nullptr ? id : run->started_utc.substr(0, 10);
}

// A text of several lines as such, what an error of the file system quotes for one.
document::Paragraph note_of(const std::string& note) {
  std::istringstream lines("note: " + note);
  document::Paragraph paragraph{.text = {}, .tone = document::Tone::kDoubt};
  std::getline(lines, paragraph.text);
  for (std::string line; std::getline(lines, line);) paragraph.below.emplace_back(line);
  return paragraph;
}

class NightWriter {
 public:
  NightWriter(const campaign::CheckedNight& checked, const NightView& view)
      : checked_(checked),
        night_(checked.night),
        view_(view),
        names_(checked.history),
        moved_(moved_series(checked.night)) {}

  [[nodiscard]] document::Document take() {
    add({counts_text(night_)});
    add_table();
    add_alerts();
    const auto remarks = std::ssize(blocks_);
    add_environment();
    add_reasons();
    add_notes();
    if (std::ssize(blocks_) > remarks) {
      blocks_.insert(blocks_.begin() + remarks, document::Heading{});
    }
    add_next();
    return {.headline = night_title(night_),
            .answer = answer(),
            .chapters = {{.id = "overview", .title = "Overview", .blocks = std::move(blocks_)}},
            .marker = "stepbench-night"};
  }

 private:
  void add(document::Paragraph paragraph) { blocks_.emplace_back(std::move(paragraph)); }
  // "verdict: regression (exit code 1); num_workers=2 step +6.28 %, A1"
  [[nodiscard]] document::Answer answer() const {
    document::Answer answer{.text = "verdict: " + std::string(name_of(night_.verdict)) +
                                    why_verdict(night_) + " (exit code " +
                                    std::to_string(night_.exit_code) + ')',
                            .tone = tone_of(night_.verdict, true)};
    const bool quiet =
        night_.verdict == track::NightState::kOk || night_.verdict == track::NightState::kWarmingUp;
    if (!quiet && !moved_.empty()) {
      const track::NightSeries& worst = *moved_.front();
      answer.text +=
          "; " + names_.case_name(worst.series) + ' ' + metric_label(worst.series.metric);
      if (worst.change) answer.text += ' ' + text::signed_percent(*worst.change) + " %";
      if (!worst.alert.empty()) answer.text += ", " + worst.alert;
      if (moved_.size() > 1) answer.text += ", and " + std::to_string(moved_.size() - 1) + " more";
    }
    for (const document::Block& block : blocks_) {
      if (const auto* each = std::get_if<document::Paragraph>(&block)) {
        document::add_doubts(answer, {*each});
      }
    }
    return answer;
  }
  void gap() { blocks_.emplace_back(document::Heading{}); }

  void add_table() {
    document::Table table = night_table(checked_, view_);
    const std::size_t all = view_.rows == 0 ? night_.series.size() : moved_.size();
    const std::size_t left_out = all - table.rows.size();
    if (table.rows.empty()) return;
    gap();
    blocks_.emplace_back(std::move(table));
    if (left_out > 0) {
      add({text::counted(static_cast<std::int64_t>(left_out), "series") +
           " more (--format json has all)"});
    }
  }

  // Of the series that moved, and open ones that no series of tonight shows.
  [[nodiscard]] std::vector<const track::Alert*> shown_alerts() const {
    std::vector<const track::Alert*> alerts;
    const auto add = [&](const std::string& id) {
      const track::Alert* alert = night_.alerts.find(id);
      if (alert != nullptr && std::find(alerts.begin(), alerts.end(), alert) == alerts.end()) {
        alerts.push_back(alert);
      }
    };
    for (const track::NightSeries* series : moved_) add(series->alert);
    for (const std::string& id : night_.absent) add(id);
    return alerts;
  }

  void add_alerts() {
    for (const track::Alert* alert : shown_alerts()) {
      gap();
      add(alert_paragraph(*alert, checked_, names_));
    }
  }

  void add_environment() {
    for (std::size_t i = 0; i < std::min(night_.cohorts.size(), kShownChanges); ++i) {
      const track::CohortChange& change = night_.cohorts[i];
      add({"environment: " + change.field + " was " + change.before + " and is " + change.tonight +
           " since tonight: " + new_level_words(change)});
    }
    if (night_.cohorts.size() > kShownChanges) {
      add({"environment: " + std::to_string(night_.cohorts.size() - kShownChanges) +
           " more fields changed (the JSON form has all)"});
    }
  }

  // Why series without an alert have their state; equal sentences once.
  void add_reasons() {
    std::vector<std::pair<std::string, std::vector<const track::NightSeries*>>> by_text;
    for (const track::NightSeries& series : night_.series) {
      if (series.why.empty() || series.state == track::NightState::kFutureDated) continue;
      if (series.bridged || series.state == track::NightState::kOk) continue;
      const auto known = std::find_if(by_text.begin(), by_text.end(),
                                      [&](const auto& each) { return each.first == series.why; });
      if (known == by_text.end()) {
        by_text.push_back({series.why, {&series}});
      } else {
        known->second.push_back(&series);
      }
    }
    for (const auto& [why, series] : by_text) {
      std::string line = names_.name(series.front()->series);
      if (series.size() > 1) line += " and " + std::to_string(series.size() - 1) + " more";
      line += ": ";
      line += why;
      add({std::move(line)});
    }
    const auto future = std::find_if(night_.series.begin(), night_.series.end(),
                                     [](const track::NightSeries& series) {
                                       return series.state == track::NightState::kFutureDated;
                                     });
    if (future == night_.series.end()) return;
    add({.text = "the night is " + future->why +
                 ": it is stored and not judged; is the machine's clock right?",
         .tone = document::Tone::kDoubt,
         .doubt = "the night is " + future->why});
  }

  void add_notes() {
    std::vector<std::string> notes = night_.notes;
    for (const campaign::ConfirmedNight& measured : checked_.measured) {
      notes.insert(notes.end(), measured.notes.begin(), measured.notes.end());
    }
    for (const std::string& note : notes) {
      add(note_of(note));
    }
    if (checked_.signal) {
      add({.text = "interrupted: what was not measured again stays open; the next check goes on "
                   "with it",
           .tone = document::Tone::kDoubt,
           .doubt = "interrupted before all was measured again"});
    }
    const std::size_t all = night_.precision.confirmed + night_.precision.not_reproduced;
    if (moved_.empty() || all == 0) return;
    add({"precision so far: " + std::to_string(night_.precision.confirmed) + " of " +
         text::counted(static_cast<std::int64_t>(all), "alert") +
         (all == 1 ? " that was" : " that were") + " measured again " +
         (all == 1 ? "was" : "were") + " there"});
  }

  // Commands to go on with, each with what it is for.
  void add_next() {
    const track::Alert* worst = nullptr;
    bool unmeasured = false;
    for (const track::Alert* alert : shown_alerts()) {
      if (!track::is_open(alert->state)) continue;
      unmeasured = unmeasured || track::is_pending(alert->state);
      if (worst == nullptr || alert->state == track::AlertState::kRegression) worst = alert;
      if (worst->state == track::AlertState::kRegression) break;
    }
    if (worst == nullptr) return;
    blocks_.emplace_back(document::Heading{.title = "next"});
    const auto add_command = [&](const std::string& use, const std::string& command) {
      add({.text = use, .below = {{"stepbench track " + command + view_.history_words, true}}});
    };
    add_command("what happened to it, night by night:", "show " + worst->id);
    if (unmeasured && night_.is_newest) {
      add_command("measure it now, both builds in turns:", "confirm " + worst->id);
    }
    if (worst->worse && worst->state != track::AlertState::kSuspect) {
      add_command("accept it; --until DATE or --expect CHANGE: for a while, or as far as that:",
                  "note " + worst->id + " --as accepted \"...\"");
    }
  }

  const campaign::CheckedNight& checked_;
  const track::Night& night_;
  const NightView& view_;
  SeriesNames names_;
  std::vector<const track::NightSeries*> moved_;
  std::vector<document::Block> blocks_;
};

}  // namespace

std::vector<const track::NightSeries*> moved_series(const track::Night& night) {
  constexpr std::array kOrder = {track::NightState::kRegression,
                                 track::NightState::kReproduced,
                                 track::NightState::kSuspect,
                                 track::NightState::kInvalid,
                                 track::NightState::kNoData,
                                 track::NightState::kUnmeasured,
                                 track::NightState::kDoubtful,
                                 track::NightState::kImprovement,
                                 track::NightState::kFixed,
                                 track::NightState::kNotReproduced,
                                 track::NightState::kEnvironmentChange,
                                 track::NightState::kAcknowledged};
  std::vector<const track::NightSeries*> moved;
  for (const track::NightSeries& series : night.series) {
    if (has_moved(series)) moved.push_back(&series);
  }
  const auto rank = [&](const track::NightSeries& series) {
    return std::find(kOrder.begin(), kOrder.end(), series.state) - kOrder.begin();
  };
  std::stable_sort(moved.begin(), moved.end(), [&](const auto* a, const auto* b) {
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return std::abs(a->change.value_or(0)) > std::abs(b->change.value_or(0));
  });
  return moved;
}

std::vector<HistoryView> moved_over_nights(const campaign::CheckedNight& checked,
                                           const NightView& view) {
  std::vector<HistoryView> nights;
  for (const track::NightSeries* moved : moved_series(checked.night)) {
    if (nights.size() == kNightCharts) break;
    const track::SeriesHistory* found = checked.history.find_series(moved->series.id);
    if (found == nullptr || found->points.empty()) continue;
    nights.push_back(view_of(*found, checked.history, checked.night.alerts, checked.events,
                             {.kind = view.screen}, kChartedNights));
  }
  return nights;
}

document::Table night_table(const campaign::CheckedNight& checked, const NightView& view) {
  const bool whole = view.rows == 0;
  const SeriesNames names(checked.history);
  std::vector<const track::NightSeries*> shown = moved_series(checked.night);
  if (!whole) shown.resize(std::min(shown.size(), view.rows));
  for (const track::NightSeries& series : checked.night.series) {
    if (whole && !has_moved(series)) shown.push_back(&series);
  }
  document::Table table{
      .columns = {{.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
                  document::words("metric"),
                  {.head = "usual"},
                  {.head = "tonight"},
                  {.head = "change"},
                  {.head = "per control", .drop_at = 20},
                  {.head = std::string(name_of(view.screen)), .drop_at = 30},
                  document::words("state"),
                  document::words("alert"),
                  {.head = "last good", .left = true, .drop_at = 40},
                  document::words("why")}};
  const bool with_score = std::any_of(shown.begin(), shown.end(),
                                      [](const auto* series) { return series->score.has_value(); });
  const bool with_control = std::any_of(shown.begin(), shown.end(), [](const auto* series) {
    return series->normalised_change.has_value();
  });
  for (const track::NightSeries* series : shown) {
    table.rows.push_back(
        {.cells = {names.case_name(series->series), metric_label(series->series.metric),
                   amount_cell(series->usual, series->value, *series),
                   amount_cell(series->value, series->usual, *series),
                   document::change(series->change),
                   with_control ? document::change(series->normalised_change) : "",
                   with_score ? score_cell(series->score) : "", name_of(series->state),
                   series->alert, run_date(checked.history, series->last_good),
                   whole ? series->why : ""},
         .tone = tone_of(series->state, series->worse)});
  }
  for (const std::size_t column : {10U, 6U, 5U}) document::drop_if_empty(table, column);
  return table;
}

document::Document night_document(const campaign::CheckedNight& checked, const NightView& view) {
  return NightWriter(checked, view).take();
}

}  // namespace stepbench::report
