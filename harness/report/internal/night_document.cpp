// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/nights/night.h"
#include "harness/report/history.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/verdicts.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownFields = 4;  // of an environment

std::string program_of(const nights::NightPairs& pairs, const nights::History& history) {
  const nights::TrackedRun* run = history.find_run(pairs.reference_run);
  const std::string build = "build " + pairs.reference.substr(0, 8);
  return run == nullptr ? build : formatted("{} ({})", night_date(*run), build);
}

std::string reference_words_of(const nights::NightPairs& pairs, const nights::History& history) {
  const std::string reason = pairs.reason.empty() ? std::string() : ": " + pairs.reason;
  const std::string begins =
      pairs.begins_reference() ? "; tonight's program is the reference from now on" : std::string();
  switch (pairs.why) {
    case nights::NightReason::kMeasured:
    case nights::NightReason::kBudget:
    case nights::NightReason::kInterrupted:
      return "in turns with the reference program of " + program_of(pairs, history);
    case nights::NightReason::kNoReference:
      return "the first night: tonight's program is the reference from now on";
    case nights::NightReason::kBaseline:
      return "a new baseline: tonight's program is the reference from now on";
    case nights::NightReason::kReferenceMissing:
      return formatted("the reference program is missing{}{}", reason, begins);
    case nights::NightReason::kReferenceFails:
      return formatted("the reference program fails{}{}{}", reason, begins,
                       pairs.begins_reference()
                           ? ". A change between the two is not detected: rebuild that "
                             "commit and measure it with `stepbench ab`"
                           : "");
    case nights::NightReason::kTonightFails:
      return "tonight's program fails" + reason;
    case nights::NightReason::kSameProgram:
      return "tonight's program is the reference: nothing to compare";
    case nights::NightReason::kCannotStore:
      return "tonight's program cannot be a reference" + reason;
    default:
      return {};
  }
}

// "night 2026-01-31 02:00 on box: train and transfer (4f2a91c)"
std::string night_title(const nights::Night& night) {
  if (night.experiments.empty()) return "no night";
  std::vector<std::string> names;
  std::set<std::string> programs;
  std::string first = night.experiments.front().run.started_utc;
  for (const nights::NightExperiment& each : night.experiments) {
    names.push_back(each.run.experiment);
    programs.insert(program_text(each.run));
    first = std::min(first, each.run.started_utc);
  }
  std::string text = formatted("night {} on {}: {}", text::minute_text(first),
                               night.experiments.front().run.host, text::join_and(names));
  if (programs.size() == 1 && !programs.begin()->empty()) text += " (" + *programs.begin() + ')';
  return text;
}

// One line per experiment: "in turns with the reference program of ...", or why there is none.
std::vector<std::string> reference_words(const nights::Night& night,
                                         const nights::History& history) {
  std::vector<std::string> lines;
  for (const nights::NightExperiment& each : night.experiments) {
    if (each.pairs.night.run.empty()) continue;  // `track add` has only values
    std::string line = reference_words_of(each.pairs, history);
    if (night.experiments.size() > 1) line = each.run.experiment + ": " + line;
    lines.push_back(std::move(line));
  }
  return lines;
}

// "torch 2.11 -> 2.12: reference +8.0 %": effects of environment changes, over all experiments.
std::string environment_words(const nights::Night& night) {
  std::vector<std::string> parts;
  for (const nights::NightExperiment& each : night.experiments) {
    if (each.environment.empty()) continue;
    std::vector<std::string> fields;
    for (const nights::EnvironmentChange& change : each.environment) {
      fields.push_back(formatted("{} {} -> {}", change.field, change.before, change.tonight));
    }
    const std::size_t all = fields.size();
    fields.resize(std::min(all, kShownFields));
    if (all > kShownFields) fields.push_back(formatted("{} more", all - kShownFields));
    std::vector<double> moved;  // changes of its step series
    for (const nights::ReferenceMoved& one : each.reference_moved) {
      const auto series = std::ranges::find(
          night.series, one.series, [](const nights::NightSeries& of) { return of.series.id; });
      const bool step =
          series != night.series.end() && series->series.metric == nights::kStepSeries;
      if (step) moved.push_back(one.change);
    }
    std::string text = text::join(fields);
    if (!moved.empty()) {
      text += formatted(": reference {} %", text::signed_percent(stats::median(moved)));
    }
    if (std::ranges::find(parts, text) == parts.end()) parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
}

// "41 series: 38 ok, 2 suspect, 1 regression"
std::string counts_text(const nights::Night& night) {
  std::vector<std::string> parts;
  for (const nights::NightState state :
       {nights::NightState::kOk, nights::NightState::kImprovement, nights::NightState::kSuspect,
        nights::NightState::kRegression, nights::NightState::kNoVerdict,
        nights::NightState::kNoData}) {
    const std::size_t count = night.count(state);
    if (count > 0) parts.push_back(formatted("{} {}", count, state_words(state)));
  }
  const std::string all = text::counted(std::ssize(night.series), "series");
  return parts.empty() ? all : all + ": " + text::join(parts);
}

// Explains a verdict whose name alone would mislead; else "".
std::string verdict_reason(const nights::Night& night) {
  if (night.verdict == nights::NightState::kNoData && night.exit_code == kExitUsage) {
    return ": an experiment aborted";
  }
  if (night.verdict == nights::NightState::kNoData && night.count(night.verdict) == 0) {
    return night.series.empty() ? ": no measurements to judge" : ": launches failed";
  }
  if (night.verdict == nights::NightState::kRegression && night.reported.empty()) {
    return ", from earlier nights";
  }
  return {};
}

constexpr std::size_t kShownSeries = 3;  // per alert

document::Tone alert_tone(nights::AlertState state) {
  switch (state) {
    case nights::AlertState::kOpen:
      return document::Tone::kBad;
    case nights::AlertState::kFixed:
      return document::Tone::kGood;
    default:
      return document::Tone::kDim;
  }
}

// "A17, told tonight: 2 series worse"
std::string alert_headline(const nights::Alert& alert, const nights::Night& night) {
  const bool reported = std::ranges::find(night.reported, alert.id) != night.reported.end();
  const bool tonight = std::ranges::any_of(
      night.experiments, [&](const auto& each) { return each.run.run_id == alert.opened_run; });
  std::string text = alert.id + (tonight    ? ", new tonight"
                                 : reported ? formatted(", open since {} and worse tonight",
                                                        alert.opened_utc.substr(0, 10))
                                            : ", since " + alert.opened_utc.substr(0, 10));
  text += ": " + text::counted(std::ssize(alert.series), "series") + " worse";
  if (alert.state != nights::AlertState::kOpen) text += ", " + std::string(name_of(alert.state));
  if (!alert.assignee.empty()) text += ", assigned to " + alert.assignee;
  return text;
}

std::vector<document::Line> alert_lines(const nights::Alert& alert, const nights::History& history,
                                        const SeriesNames& names) {
  std::vector<document::Line> lines = range_lines(alert, history);
  std::vector<const nights::AlertSeries*> series;
  for (const nights::AlertSeries& each : alert.series) series.push_back(&each);
  std::ranges::stable_sort(
      series, [](const auto* a, const auto* b) { return a->change.size > b->change.size; });
  for (std::size_t i = 0; i < std::min(series.size(), kShownSeries); ++i) {
    const nights::TrackedSeries* known = names.find(series[i]->id);
    lines.emplace_back(formatted("{}: {}{}", known == nullptr ? series[i]->id : names.name(*known),
                                 reported_text(*series[i], known),
                                 series[i]->back ? ", back" : ""));
    if (!series[i]->cause.empty()) lines.emplace_back("cause: " + series[i]->cause);
  }
  const auto away = std::ranges::count_if(
      alert.series, [](const nights::AlertSeries& each) { return !each.can_be_measured; });
  if (away > 0) {
    lines.emplace_back(
        "the previous level can no longer be measured: the alert stays until it is accepted");
  }
  if (!alert.note.empty()) lines.emplace_back(alert.note);
  return lines;
}

// Describes when an alert opened, between which programs it appeared, and its causes.
document::Paragraph alert_paragraph(const nights::Alert& alert, const nights::Night& night,
                                    const nights::History& history, const SeriesNames& names) {
  document::Paragraph paragraph{.text = alert_headline(alert, night),
                                .tone = alert_tone(alert.state)};
  if (alert.state == nights::AlertState::kAccepted) {
    const std::string words = acceptance_words(alert);
    paragraph.text +=
        (alert.note.empty() ? "" : ": " + alert.note) + (words.empty() ? "" : ", " + words);
    return paragraph;
  }
  paragraph.below = alert_lines(alert, history, names);
  return paragraph;
}

bool has_moved(const nights::NightSeries& series) {
  return series.state == nights::NightState::kRegression ||
         series.state == nights::NightState::kSuspect ||
         series.state == nights::NightState::kImprovement ||
         series.state == nights::NightState::kNoData || series.fixed || !series.alert.empty();
}

// Formats in the same unit as the adjacent value.
document::Cell amount_cell(const std::optional<double>& value,
                           const std::optional<double>& shown_with,
                           const nights::NightSeries& series) {
  if (!value || !std::isfinite(*value)) return "-";
  if (!shown_with || series.series.unit != "ns")
    return {amount_text(*value, series.series.unit), value};
  return {compared_values(*value, *shown_with, "ns").first, value};
}

// Old nights do not record the number of pairs.
document::Cell pairs_cell(const nights::NightSeries& series) {
  if (series.pairs == 0 && series.change) return "-";
  return document::count(series.pairs);
}

document::Cell bounds_cell(const nights::NightSeries& series) {
  if (!series.low || !series.high) return "";
  return formatted("[{}, {}{}", text::signed_percent(*series.low),
                   text::signed_percent(*series.high), series.as_share ? "] of the step" : "]");
}

// Splits a note of several lines, e.g. with a quoted error of the file system.
document::Paragraph note_of(const std::string& note) {
  std::istringstream lines("note: " + note);
  document::Paragraph paragraph{.text = {}, .tone = document::Tone::kDoubt};
  std::getline(lines, paragraph.text);
  for (std::string line; std::getline(lines, line);) paragraph.below.emplace_back(line);
  return paragraph;
}

class NightWriter {
 public:
  NightWriter(const ShownNight& shown, const NightView& view)
      : shown_(shown),
        night_(shown.night),
        view_(view),
        names_(shown.history),
        moved_(moved_series(shown.night)) {}

  [[nodiscard]] document::Document take() {
    for (std::string& line : reference_words(night_, shown_.history)) add({std::move(line)});
    add({counts_text(night_)});
    add_table();
    add_alerts();
    const auto remarks = std::ssize(blocks_);
    add_reasons();
    for (const std::string& note : night_.notes) add(note_of(note));
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
  void gap() { blocks_.emplace_back(document::Heading{}); }

  // "verdict: regression (exit code 1); nightly num_workers=2 step +6.28 %, A1"
  [[nodiscard]] document::Answer answer() const {
    const bool decided = night_.verdict != nights::NightState::kNoVerdict;
    document::Answer answer{
        .text = formatted("{}{}{} (exit code {})", decided ? "verdict: " : "",
                          state_words(night_.verdict), verdict_reason(night_), night_.exit_code),
        .tone = tone_of(night_.verdict, true)};
    if (!moved_.empty()) {
      const nights::NightSeries& worst = *moved_.front();
      answer.text +=
          formatted("; {} {}", names_.case_name(worst.series), metric_label(worst.series.metric));
      if (worst.change) answer.text += ' ' + text::signed_percent(*worst.change) + " %";
      if (!worst.alert.empty()) answer.text += ", " + worst.alert;
      if (moved_.size() > 1) answer.text += formatted(", and {} more", moved_.size() - 1);
    }
    if (const std::string environment = environment_words(night_); !environment.empty()) {
      answer.text += "; " + environment;
    }
    for (const document::Block& block : blocks_) {
      if (const auto* each = std::get_if<document::Paragraph>(&block)) {
        document::add_doubts(answer, {*each});
      }
    }
    return answer;
  }

  void add_table() {
    document::Table table = night_table(shown_, view_);
    const std::size_t all = view_.rows == 0 ? night_.series.size() : moved_.size();
    const std::size_t not_shown = all - table.rows.size();
    if (table.rows.empty()) return;
    gap();
    blocks_.emplace_back(std::move(table));
    if (not_shown > 0) {
      add({text::counted(not_shown, "series") + " more (--format json has all)"});
    }
  }

  // Alerts of the series that moved, and open alerts without a series in this night.
  [[nodiscard]] std::vector<const nights::Alert*> shown_alerts() const {
    std::vector<const nights::Alert*> alerts;
    const auto add = [&](const std::string& id) {
      const nights::Alert* alert = night_.alerts.find(id);
      if (alert != nullptr && std::ranges::find(alerts, alert) == alerts.end()) {
        alerts.push_back(alert);
      }
    };
    for (const nights::NightSeries* series : moved_) add(series->alert);
    for (const std::string& id : night_.absent) add(id);
    return alerts;
  }

  void add_alerts() {
    for (const nights::Alert* alert : shown_alerts()) {
      gap();
      add(alert_paragraph(*alert, night_, shown_.history, names_));
    }
  }

  // Reasons for the states of series; equal sentences are merged.
  void add_reasons() {
    std::vector<std::pair<std::string, std::vector<const nights::NightSeries*>>> by_text;
    for (const nights::NightSeries& series : night_.series) {
      std::string why = series_reason(series);
      if (why.empty() || series.why == nights::NightReason::kIgnored) continue;
      const auto known =
          std::ranges::find_if(by_text, [&](const auto& each) { return each.first == why; });
      if (known == by_text.end()) {
        by_text.emplace_back(std::move(why), std::vector{&series});
      } else {
        known->second.push_back(&series);
      }
    }
    for (const auto& [why, series] : by_text) {
      std::string line = names_.name(series.front()->series);
      if (series.size() > 1) line += formatted(" and {} more", series.size() - 1);
      const bool doubt = series.front()->why == nights::NightReason::kFuture;
      add({.text = line + ": " + why,
           .tone = doubt ? document::Tone::kDoubt : document::Tone::kPlain,
           .doubt = doubt ? why : ""});
    }
  }

  void add_next() {
    const std::vector<const nights::Alert*> alerts = shown_alerts();
    const auto open = std::ranges::find_if(alerts, [](const nights::Alert* alert) {
      return alert->state == nights::AlertState::kOpen;
    });
    if (open == alerts.end()) return;
    const std::string& id = (*open)->id;
    blocks_.emplace_back(document::Heading{.title = "next"});
    const auto add_command = [&](const std::string& use, const std::string& command) {
      add({.text = use,
           .below = {{formatted("stepbench track {}{}", command, view_.history_words), true}}});
    };
    add_command("its history:", "show " + id);
    add_command("to find its commit:", "bisect " + id);
    add_command("to accept it, optionally --until DATE or up to --expect CHANGE:",
                formatted("note {} --as accepted \"...\"", id));
  }

  const ShownNight& shown_;
  const nights::Night& night_;
  const NightView& view_;
  SeriesNames names_;
  std::vector<const nights::NightSeries*> moved_;
  std::vector<document::Block> blocks_;
};

}  // namespace

std::string state_words(nights::NightState state) {
  std::string words(name_of(state));
  std::ranges::replace(words, '-', ' ');
  return words;
}

std::string series_reason(const nights::NightSeries& series) {
  switch (series.why) {
    case nights::NightReason::kBudget:
      return "not measured: budget; it comes first the next night";
    case nights::NightReason::kInterrupted:
      return "not measured: interrupted; it comes first the next night";
    case nights::NightReason::kOneBuild:
      return text::counted(series.pairs, "pair") +
             " of one build: may be its memory layout; the next build decides";
    case nights::NightReason::kNoValue:
      return "planned tonight, but has no value";
    case nights::NightReason::kValues:
      return "values without a reference program: shown, not judged";
    case nights::NightReason::kIgnored:
      return "ignored by a note";
    case nights::NightReason::kFuture:
      return "the night's date is in the future; check the machine's clock";
    case nights::NightReason::kReferenceFails:
      return "fewer than three pairs: the reference program fails";
    case nights::NightReason::kTonightFails:
      return "fewer than three pairs: tonight's program fails";
    default:
      break;
  }
  if (!series.noisy) return {};
  return formatted(
      "too noisy: its launches differ by more than {}, so small changes are found late",
      text::percent_text(nights::kNoisyCv));
}

std::vector<const nights::NightSeries*> moved_series(const nights::Night& night) {
  constexpr std::array kOrder = {nights::NightState::kRegression, nights::NightState::kSuspect,
                                 nights::NightState::kNoData, nights::NightState::kImprovement};
  std::vector<const nights::NightSeries*> moved;
  for (const nights::NightSeries& series : night.series) {
    if (has_moved(series)) moved.push_back(&series);
  }
  const auto rank = [&](const nights::NightSeries& series) {
    return std::ranges::find(kOrder, series.state) - kOrder.begin();
  };
  std::ranges::stable_sort(moved, [&](const auto* a, const auto* b) {
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return std::abs(a->change.value_or(0)) > std::abs(b->change.value_or(0));
  });
  return moved;
}

std::vector<HistoryView> moved_over_nights(const ShownNight& shown) {
  std::vector<HistoryView> views;
  for (const nights::NightSeries* moved : moved_series(shown.night)) {
    if (views.size() == kNightCharts) break;
    const nights::SeriesHistory* found = shown.moved.find_series(moved->series.id);
    if (found == nullptr || found->points.empty()) continue;
    const auto judged = shown.judged.find(moved->series.id);
    views.push_back(view_of(
        *found, shown.moved, shown.night.alerts, {},
        judged == shown.judged.end() ? std::span<const nights::JudgedRow>{} : judged->second,
        kChartedNights));
  }
  return views;
}

document::Table night_table(const ShownNight& shown, const NightView& view) {
  const bool whole = view.rows == 0;
  const SeriesNames names(shown.history);
  std::vector<const nights::NightSeries*> series = moved_series(shown.night);
  if (!whole) series.resize(std::min(series.size(), view.rows));
  for (const nights::NightSeries& each : shown.night.series) {
    if (whole && !has_moved(each)) series.push_back(&each);
  }
  using Row = const nights::NightSeries*;
  return document::project<Row>(
      series,
      {{{.head = "case", .left = true, .shrink_at = 50, .shrink_to = 16},
        [&](Row each) { return names.case_name(each->series); }},
       {document::words("metric"), [](Row each) { return metric_label(each->series.metric); }},
       {{.head = "usual"}, [](Row each) { return amount_cell(each->usual, each->value, *each); }},
       {{.head = "tonight"}, [](Row each) { return amount_cell(each->value, each->usual, *each); }},
       {{.head = "change"}, [](Row each) { return document::change(each->change); }},
       {.column = {.head = "bounds", .left = true, .drop_at = 40},
        .cell = [](Row each) { return bounds_cell(*each); },
        .if_filled = true},
       {{.head = "pairs", .drop_at = 30}, [](Row each) { return pairs_cell(*each); }},
       {document::words("state"),
        [](Row each) { return state_words(each->state) + (each->fixed ? ", fixed" : ""); }},
       {.column = document::words("alert"),
        .cell = [](Row each) { return each->alert; },
        .if_filled = true},
       {.column = document::words("why"),
        .cell = [](Row each) { return series_reason(*each); },
        .shown = whole,
        .if_filled = true}},
      [](Row each) { return tone_of(each->state, each->worse); });
}

document::Document night_document(const ShownNight& shown, const NightView& view) {
  return NightWriter(shown, view).take();
}

}  // namespace stepbench::report
