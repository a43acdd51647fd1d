// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/document/render_markdown.h"
#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownSeries = 40;   // the JSON form has all
constexpr std::size_t kShownMeasured = 3;  // series of an alert whose measurements are told
constexpr std::size_t kShownChanges = 8;   // of the environment
constexpr std::size_t kIdDigits = 8;

std::string program_text(const track::TrackedRun& run) {
  std::string text;
  if (!run.git_sha.empty()) text = "commit " + run.git_sha.substr(0, kIdDigits);
  if (!run.build_id.empty()) {
    text += (text.empty() ? "build " : ", build ") + run.build_id.substr(0, kIdDigits);
  }
  if (run.git_dirty) text += ", with changes that are not committed";
  return text;
}

bool is_shown(const track::NightSeries& series) {
  return series.state != track::NightState::kOk && series.state != track::NightState::kWarmingUp &&
         series.state != track::NightState::kIgnored &&
         series.state != track::NightState::kFutureDated;
}

document::Tone tint_of_night(const track::NightSeries& series) {
  switch (series.state) {
    case track::NightState::kRegression:
    case track::NightState::kInvalid:
    case track::NightState::kNoData:
      return document::Tone::kBad;
    case track::NightState::kSuspect:
      return series.worse ? document::Tone::kBad : document::Tone::kGood;
    case track::NightState::kImprovement:
    case track::NightState::kFixed:
      return document::Tone::kGood;
    default:
      return document::Tone::kDim;
  }
}

// The most serious first, then the largest change.
std::vector<const track::NightSeries*> shown_series(const track::Night& night) {
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
  std::vector<const track::NightSeries*> shown;
  for (const track::NightSeries& series : night.series) {
    if (is_shown(series)) shown.push_back(&series);
  }
  const auto rank = [&](const track::NightSeries& series) {
    return std::find(kOrder.begin(), kOrder.end(), series.state) - kOrder.begin();
  };
  std::stable_sort(shown.begin(), shown.end(), [&](const auto* a, const auto* b) {
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return std::abs(a->change.value_or(0)) > std::abs(b->change.value_or(0));
  });
  return shown;
}

// Everything that is said of a night, piece by piece, for both forms.
class NightText {
 public:
  NightText(const campaign::CheckedNight& checked, const NightView& view)
      : night_(checked.night),
        history_(checked.history),
        measured_(checked.measured),
        signal_(checked.signal.has_value()),
        view_(view),
        names_(checked.history),
        shown_(shown_series(checked.night)) {}

  [[nodiscard]] std::string title() const {
    if (night_.runs.empty()) return "no night";
    std::vector<std::string> experiments;
    std::set<std::string> programs;
    std::string first = night_.runs.front().started_utc;
    for (const track::TrackedRun& run : night_.runs) {
      experiments.push_back(run.experiment);
      programs.insert(program_text(run));
      first = std::min(first, run.started_utc);
    }
    std::string text = "night " + text::minute_text(first) + " on " + night_.runs.front().host +
                       ": " + text::join_and(experiments);
    if (programs.size() == 1 && !programs.begin()->empty()) text += " (" + *programs.begin() + ')';
    return text;
  }

  // "41 series: 38 ok, 2 warming-up (7 of 10 nights), 1 regression"
  [[nodiscard]] std::string counts() const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < track::kNightStates; ++i) {
      const auto state = static_cast<track::NightState>(i);
      const std::size_t count = night_.count(state);
      if (count == 0) continue;
      std::string part = std::to_string(count) + ' ' + std::string(track::name_of(state));
      if (state == track::NightState::kWarmingUp) part += warm_up_words();
      parts.push_back(std::move(part));
    }
    const std::string all = text::counted(std::ssize(night_.series), "series");
    return parts.empty() ? all : all + ": " + text::join(parts);
  }

  [[nodiscard]] bool has_rows() const { return !shown_.empty(); }
  [[nodiscard]] std::size_t hidden() const {
    return shown_.size() - std::min(shown_.size(), kShownSeries);
  }

  [[nodiscard]] document::Table grid() const {
    document::Table grid;
    grid.columns = {{.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
                    document::words("metric"),
                    {.head = "usual"},
                    {.head = "tonight"},
                    {.head = "change"},
                    {.head = "per control", .drop_at = 20},
                    {.head = std::string(track::name_of(view_.screen)), .drop_at = 30},
                    document::words("state"),
                    document::words("alert"),
                    {.head = "last good", .left = true, .drop_at = 40}};
    const bool with_control = std::any_of(shown_.begin(), shown_.end(), [](const auto* series) {
      return series->normalised_change.has_value();
    });
    for (std::size_t i = 0; i < std::min(shown_.size(), kShownSeries); ++i) {
      const track::NightSeries& series = *shown_[i];
      document::TableRow row{
          {names_.case_name(series.series), metric_label(series.series.metric),
           amount(series.usual, series), amount(series.value, series), percent_of(series.change),
           percent_of(series.normalised_change), score_text(series),
           std::string(track::name_of(series.state)), series.alert, run_date(series.last_good)},
          tint_of_night(series)};
      if (!with_control) row.cells.erase(row.cells.begin() + 5);
      grid.rows.push_back(std::move(row));
    }
    if (!with_control) grid.columns.erase(grid.columns.begin() + 5);
    return grid;
  }

  // A paragraph for each alert that has series in the table.
  [[nodiscard]] std::vector<std::vector<std::string>> alerts() const {
    std::vector<std::vector<std::string>> all;
    for (const track::Alert* alert : shown_alerts()) {
      std::vector<std::string> lines = {headline(*alert)};
      if (alert->state == track::AlertState::kAcknowledged) {
        lines.front() += accepted_words(*alert);
        all.push_back(std::move(lines));
        continue;
      }
      const std::string between = range_text(*alert);
      if (!between.empty()) lines.push_back(between);
      for (std::string& line : commit_lines(*alert)) lines.push_back(std::move(line));
      add_measurements(*alert, lines);
      add_unmeasured(*alert, lines);
      if (track::is_pending(alert->state)) lines.push_back(pending_words(*alert));
      if (!alert->note.empty() && !alert_is_told_by(*alert, lines)) lines.push_back(alert->note);
      all.push_back(std::move(lines));
    }
    return all;
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(night_.cohorts.size(), kShownChanges); ++i) {
      const track::CohortChange& change = night_.cohorts[i];
      lines.push_back("environment: " + change.field + " was " + change.before + " and is " +
                      change.tonight + " since tonight: " + new_level_words(change));
    }
    if (night_.cohorts.size() > kShownChanges) {
      lines.push_back("environment: " + std::to_string(night_.cohorts.size() - kShownChanges) +
                      " more fields changed (the JSON form has all)");
    }
    add_reasons(lines);
    for (const std::string& note : night_.notes) lines.push_back("note: " + note);
    for (const campaign::ConfirmedNight& measured : measured_) {
      for (const std::string& note : measured.notes) lines.push_back("note: " + note);
    }
    if (signal_) {
      lines.push_back(
          "interrupted: what was not measured again stays open; the next check goes on "
          "with it");
    }
    if (has_rows() && night_.precision.confirmed + night_.precision.not_reproduced > 0) {
      const std::size_t all = night_.precision.confirmed + night_.precision.not_reproduced;
      lines.push_back("precision so far: " + std::to_string(night_.precision.confirmed) + " of " +
                      text::counted(static_cast<std::int64_t>(all), "alert") +
                      (all == 1 ? " that was" : " that were") + " measured again " +
                      (all == 1 ? "was" : "were") + " there");
    }
    return lines;
  }

  // Commands to go on with, each with what it is for.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> next() const {
    std::vector<std::pair<std::string, std::string>> commands;
    const auto add = [&](const std::string& command, const std::string& use) {
      commands.emplace_back("stepbench " + command + view_.history_words, use);
    };
    const track::Alert* worst = nullptr;
    bool unmeasured = false;
    for (const track::Alert* alert : shown_alerts()) {
      if (!track::is_open(alert->state)) continue;
      unmeasured = unmeasured || track::is_pending(alert->state);
      if (worst == nullptr || alert->state == track::AlertState::kRegression) worst = alert;
      if (worst->state == track::AlertState::kRegression) break;
    }
    if (worst == nullptr) return commands;
    add("track show " + worst->id, "what happened to it, night by night");
    if (unmeasured && night_.is_newest) {
      add("track confirm " + worst->id, "measure it now, both builds in turns");
    }
    if (worst->worse && worst->state != track::AlertState::kSuspect) {
      add("track acknowledge " + worst->id + " --reason \"...\"",
          "accept it; --until DATE or --expect CHANGE: for a while, or as far as that");
    }
    return commands;
  }

  [[nodiscard]] std::string conclusion() const {
    return "verdict: " + std::string(track::name_of(night_.verdict)) + why_verdict() +
           " (exit code " + std::to_string(night_.exit_code) + ')';
  }

 private:
  // "4 series of nightly begin a new level", and what goes on beside the reference program.
  [[nodiscard]] static std::string new_level_words(const track::CohortChange& change) {
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

  [[nodiscard]] std::string warm_up_words() const {
    std::size_t least = track::kMinForScreen;
    std::size_t most = 0;
    for (const track::NightSeries& series : night_.series) {
      if (series.state != track::NightState::kWarmingUp) continue;
      least = std::min(least, series.points);
      most = std::max(most, series.points);
    }
    return " (" + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most)) +
           " of " + std::to_string(track::kMinForScreen) + " earlier nights)";
  }

  // Where the verdict's name alone would mislead.
  [[nodiscard]] std::string why_verdict() const {
    if (night_.verdict == track::NightState::kNoData && night_.series.empty()) {
      return ": nothing was measured that could be judged";
    }
    if (night_.verdict == track::NightState::kWarmingUp)
      return ": too few nights for the screen yet";
    if (night_.verdict == track::NightState::kRegression && night_.only_known) {
      return ", told in earlier nights";
    }
    if (night_.verdict != track::NightState::kOk) return {};
    const auto any = [&](track::NightState state, bool worse) {
      return std::any_of(night_.series.begin(), night_.series.end(), [&](const auto& series) {
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

  [[nodiscard]] static std::string amount(const std::optional<double>& value,
                                          const track::NightSeries& series) {
    return value && std::isfinite(*value) ? amount_text(*value, series.series.unit) : "-";
  }

  [[nodiscard]] static std::string percent_of(const std::optional<double>& change) {
    return change ? text::signed_percent(*change) + " %" : "-";
  }

  [[nodiscard]] static std::string score_text(const track::NightSeries& series) {
    if (!series.score) return "-";
    if (!std::isfinite(*series.score)) return *series.score > 0 ? "inf" : "-inf";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", *series.score);
    return text.data();
  }

  [[nodiscard]] const track::TrackedRun* find_run(const std::string& id) const {
    const auto found = std::find_if(history_.runs.begin(), history_.runs.end(),
                                    [&](const track::TrackedRun& run) { return run.run_id == id; });
    return found == history_.runs.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string run_date(const std::string& id) const {
    if (id.empty()) return "-";
    const track::TrackedRun* run = find_run(id);
    return run == nullptr ? id : run->started_utc.substr(0, 10);
  }

  [[nodiscard]] std::string run_words(const std::string& id) const {
    const track::TrackedRun* run = find_run(id);
    if (run == nullptr) return id;
    const std::string program = program_text(*run);
    return run->started_utc.substr(0, 10) + (program.empty() ? "" : " (" + program + ')');
  }

  [[nodiscard]] std::vector<const track::Alert*> shown_alerts() const {
    std::vector<const track::Alert*> alerts;
    const auto add = [&](const std::string& id) {
      const track::Alert* alert = night_.alerts.find(id);
      if (alert != nullptr && std::find(alerts.begin(), alerts.end(), alert) == alerts.end()) {
        alerts.push_back(alert);
      }
    };
    for (const track::NightSeries* series : shown_) add(series->alert);
    for (const std::string& id : night_.absent) add(id);
    return alerts;
  }

  [[nodiscard]] bool is_of_tonight(const std::string& run) const {
    return std::any_of(night_.runs.begin(), night_.runs.end(),
                       [&](const track::TrackedRun& tonight) { return tonight.run_id == run; });
  }

  // "A17, opened tonight: regression, 2 series worse"
  [[nodiscard]] std::string headline(const track::Alert& alert) const {
    std::string text = alert.id;
    if (is_of_tonight(alert.opened_run)) {
      text += ", opened tonight";
    } else {
      text += ", open since " + alert.opened_utc.substr(0, 10);
    }
    text += ": " + std::string(track::name_of(alert.state)) + ", " +
            text::counted(std::ssize(alert.series), "series") +
            (alert.worse ? " worse" : " better");
    if (!alert.assignee.empty()) text += ", " + alert.assignee + "'s";
    return text;
  }

  [[nodiscard]] std::string range_text(const track::Alert& alert) const {
    if (alert.first_bad.empty()) return {};
    if (alert.last_good.empty()) return "no good night before " + run_words(alert.first_bad);
    return "between " + run_words(alert.last_good) + " and " + run_words(alert.first_bad);
  }

  void add_measurements(const track::Alert& alert, std::vector<std::string>& lines) const {
    std::vector<const track::AlertSeries*> measured;
    for (const track::AlertSeries& series : alert.series) {
      if (!series.measured.empty()) measured.push_back(&series);
    }
    std::stable_sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) {
      return std::abs(a->measured.back().change) > std::abs(b->measured.back().change);
    });
    for (std::size_t i = 0; i < std::min(measured.size(), kShownMeasured); ++i) {
      const track::AlertSeries& series = *measured[i];
      const track::TrackedSeries* known = names_.find(series.id);
      if (alert.series.size() > 1) {
        lines.push_back((known == nullptr ? series.id : names_.name(*known)) + ':');
      }
      // What is reproduced is measured once more in the same night, and then anew.
      const track::AlertMeasurement* first = nullptr;
      for (const track::AlertMeasurement& each : series.measured) {
        const bool once_more = first != nullptr && first->night == each.night;
        lines.push_back((each.closing ? "to close it: " : "") + measurement_text(each, once_more));
        first = !once_more && each.reproduced ? &each : nullptr;
      }
      if (!series.measured.back().cause.empty()) {
        lines.push_back("cause: " + series.measured.back().cause);
      }
    }
    if (measured.size() > kShownMeasured) {
      const auto more = static_cast<std::int64_t>(measured.size() - kShownMeasured);
      lines.push_back(text::counted(more, "series") + (more == 1 ? " more was" : " more were") +
                      " measured (the JSON form has all)");
    }
  }

  // ": wanted, until 2026-03-01"
  [[nodiscard]] static std::string accepted_words(const track::Alert& alert) {
    std::string text = alert.note.empty() ? "" : ": " + alert.note;
    if (!alert.until.empty()) text += ", until " + alert.until;
    if (alert.expect) text += ", as far as " + text::signed_percent(*alert.expect) + " %";
    return text;
  }

  // What a suspicion waits for, and how long.
  [[nodiscard]] static std::string pending_words(const track::Alert& alert) {
    const std::string ends =
        "; undecided for " + std::to_string(track::kNightsToMeasure) + " nights it expires";
    switch (alert.state) {
      case track::AlertState::kDoubtful:
        return "measured once more with another pair of builds before it is dropped" + ends;
      case track::AlertState::kReproduced:
        return "it may be where this build's code lies in memory: measured again with another "
               "pair of builds, and told when their mean is beyond that" +
               ends;
      case track::AlertState::kInvalid:
        return "measured again the next night" + ends;
      default:
        return "measured as soon as it can be" + ends;
    }
  }

  // Why series of the alert could not be measured tonight; equal sentences once.
  void add_unmeasured(const track::Alert& alert, std::vector<std::string>& lines) const {
    for (const campaign::ConfirmedNight& measured : measured_) {
      for (const campaign::ConfirmedSeries& series : measured.series) {
        if (series.state != track::AlertState::kSuspect || series.why.empty()) continue;
        if (alert.find(series.suspect.series) == nullptr) continue;
        std::string line = "not measured again: " + series.why;
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
          lines.push_back(std::move(line));
        }
      }
    }
  }

  // `once_more`: after a first measurement in which it was there.
  [[nodiscard]] static std::string measurement_text(const track::AlertMeasurement& measured,
                                                    bool once_more) {
    std::string text = once_more ? "measured once more, with both programs at other paths: "
                                 : "measured again in turns: ";
    text += text::signed_percent(measured.change) + " % [" + text::signed_percent(measured.low) +
            ", " + text::signed_percent(measured.high) + "], p " + text::chance_text(measured.p) +
            ", " + text::counted(measured.pairs, "pair") + ": ";
    text += measured.reproduced ? (once_more ? "there again" : "reproduced") : "not reproduced";
    if (measured.margin == track::kTellMargin) return text;
    return text + " beyond its margin of " + text::percent_text(measured.margin);
  }

  // Whether the measurements say already what the last reason says.
  [[nodiscard]] static bool alert_is_told_by(const track::Alert& alert,
                                             const std::vector<std::string>& lines) {
    return alert.events.back().what == track::name_of(track::AlertEvent::kFired) ||
           std::find(lines.begin(), lines.end(), alert.note) != lines.end();
  }

  // Why series without an alert have their state; equal sentences once.
  void add_reasons(std::vector<std::string>& lines) const {
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
      lines.push_back(std::move(line));
    }
    if (night_.count(track::NightState::kFutureDated) == 0) return;
    const auto future = std::find_if(night_.series.begin(), night_.series.end(),
                                     [](const track::NightSeries& series) {
                                       return series.state == track::NightState::kFutureDated;
                                     });
    lines.push_back("the night is " + future->why +
                    ": it is stored and not judged; is the machine's clock right?");
  }

  const track::Night& night_;
  const track::History& history_;
  const std::vector<campaign::ConfirmedNight>& measured_;
  bool signal_;
  const NightView& view_;
  SeriesNames names_;
  std::vector<const track::NightSeries*> shown_;
};

std::size_t line_width(const NightView& view) {
  return static_cast<std::size_t>(std::max(view.style.columns, 40));
}

std::string indented(const std::string& text, std::size_t columns) {
  return text::wrap_hanging("  " + text::printable(text), columns) + '\n';
}

}  // namespace

std::string night_page(const campaign::CheckedNight& checked, const NightView& view) {
  const NightText text(checked, view);
  const std::size_t columns = line_width(view);
  std::string out = text::wrap_hanging(text::printable(text.title()), columns) + '\n';
  out += text::wrap_hanging(text::printable(text.counts()), columns) + '\n';
  if (text.has_rows()) {
    out += '\n' + document::draw(text.grid(), columns, view.style.colour).text;
    if (text.hidden() > 0) {
      out += text::counted(static_cast<std::int64_t>(text.hidden()), "series") +
             " more (--format json has all)\n";
    }
  }
  for (const std::vector<std::string>& alert : text.alerts()) {
    out += '\n' + text::printable(alert.front()) + '\n';
    for (std::size_t i = 1; i < alert.size(); ++i) out += indented(alert[i], columns);
  }
  const std::vector<std::string> remarks = text.remarks();
  if (!remarks.empty()) out += '\n';
  for (const std::string& line : remarks)
    out += text::wrap_hanging(text::printable(line), columns) + '\n';
  const auto next = text.next();
  if (!next.empty()) out += "\nnext:\n";
  for (const auto& [command, use] : next) {
    out += "  " + text::printable(command) + "\n      " + text::printable(use) + '\n';
  }
  if (text.has_rows() || !remarks.empty()) out += '\n';
  return out + text.conclusion() + '\n';
}

std::string night_markdown(const campaign::CheckedNight& checked, const NightView& view) {
  const NightText text(checked, view);
  std::string out =
      "<!-- stepbench-night -->\n### " + std::string(track::name_of(checked.night.verdict)) + ": " +
      text::markdown_line(text.title()) + "\n\n" + text::markdown_line(text.counts()) + "\n";
  if (text.has_rows()) {
    out += '\n' + document::markdown_table(text.grid());
    if (text.hidden() > 0) {
      out += '\n' + text::counted(static_cast<std::int64_t>(text.hidden()), "series") + " more\n";
    }
  }
  for (const std::vector<std::string>& alert : text.alerts()) {
    out += "\n**" + text::markdown_line(alert.front()) + "**\n\n";
    for (std::size_t i = 1; i < alert.size(); ++i)
      out += "- " + text::markdown_line(alert[i]) + '\n';
  }
  const std::vector<std::string> remarks = text.remarks();
  if (!remarks.empty()) out += '\n';
  for (const std::string& line : remarks) out += "- " + text::markdown_line(line) + '\n';
  const auto next = text.next();
  if (!next.empty()) out += "\nNext:\n\n";
  for (const auto& [command, use] : next) {
    out += "- `" + text::printable(command) + "`: " + text::markdown_line(use) + '\n';
  }
  return out + '\n' + text.conclusion() + '\n';
}

}  // namespace stepbench::report
