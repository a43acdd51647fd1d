// SPDX-License-Identifier: Apache-2.0
#include "harness/report/alert_paragraph.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/history_words.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownSeries = 3;  // of an alert

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
  const bool told = std::ranges::find(night.told, alert.id) != night.told.end();
  const bool tonight = std::ranges::any_of(
      night.experiments, [&](const auto& each) { return each.run.run_id == alert.opened_run; });
  std::string text =
      alert.id + (tonight ? ", told tonight"
                  : told  ? ", open since " + alert.opened_utc.substr(0, 10) + " and worse tonight"
                          : ", since " + alert.opened_utc.substr(0, 10));
  text += ": " + text::counted(std::ssize(alert.series), "series") + " worse";
  if (alert.state != nights::AlertState::kOpen) text += ", " + std::string(name_of(alert.state));
  if (!alert.assignee.empty()) text += ", " + alert.assignee + "'s";
  return text;
}

std::vector<document::Line> alert_lines(const nights::Alert& alert, const track::History& history,
                                        const SeriesNames& names) {
  std::vector<document::Line> lines;
  if (std::string range = range_text(alert, history); !range.empty()) {
    lines.emplace_back(std::move(range));
  }
  std::ranges::move(commit_lines(alert), std::back_inserter(lines));
  std::vector<const nights::AlertSeries*> series;
  for (const nights::AlertSeries& each : alert.series) series.push_back(&each);
  std::ranges::stable_sort(
      series, [](const auto* a, const auto* b) { return a->change.size > b->change.size; });
  for (std::size_t i = 0; i < std::min(series.size(), kShownSeries); ++i) {
    const track::TrackedSeries* known = names.find(series[i]->id);
    const Direction direction = known == nullptr ? Direction::kLowerIsBetter : known->direction;
    lines.emplace_back((known == nullptr ? series[i]->id : names.name(*known)) + ": " +
                       told_text(told_change(series[i]->change, series[i]->as_share, direction),
                                 series[i]->as_share) +
                       (series[i]->back ? ", back" : ""));
    if (!series[i]->cause.empty()) lines.emplace_back("cause: " + series[i]->cause);
  }
  const auto away = std::ranges::count_if(
      alert.series, [](const nights::AlertSeries& each) { return !each.can_be_measured; });
  if (away > 0) {
    lines.emplace_back(
        "the level before cannot be measured any more: it stays until somebody "
        "accepts it");
  }
  if (!alert.note.empty()) lines.emplace_back(alert.note);
  return lines;
}

}  // namespace

document::Paragraph alert_paragraph(const nights::Alert& alert, const nights::Night& night,
                                    const track::History& history, const SeriesNames& names) {
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

}  // namespace stepbench::report
