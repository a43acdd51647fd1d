// SPDX-License-Identifier: Apache-2.0
#include "harness/report/alert_paragraph.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/report/history_words.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/track/night_states.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownMeasured = 3;  // series of an alert whose measurements are told

// What a suspicion waits for, and how long.
std::string pending_words(const track::Alert& alert) {
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

// `once_more`: after a first measurement in which it was there.
std::string measurement_text(const track::AlertMeasurement& measured, bool once_more) {
  std::string text = once_more ? "measured once more, with both programs at other paths: "
                               : "measured again in turns: ";
  text += text::signed_percent(measured.change) + " % [" + text::signed_percent(measured.low) +
          ", " + text::signed_percent(measured.high) + "], p " + text::chance_text(measured.p) +
          ", " + text::counted(measured.pairs, "pair") + ": ";
  text += measured.reproduced ? (once_more ? "there again" : "reproduced") : "not reproduced";
  if (measured.margin == track::kTellMargin) return text;
  return text + " beyond its margin of " + text::percent_text(measured.margin);
}

class AlertWriter {
 public:
  AlertWriter(const track::Alert& alert, const campaign::CheckedNight& checked,
              const SeriesNames& names)
      : alert_(alert), checked_(checked), names_(names) {}

  [[nodiscard]] std::vector<document::Line> lines() {
    if (std::string range = range_text(alert_, checked_.history); !range.empty()) {
      lines_.emplace_back(std::move(range));
    }
    std::ranges::move(commit_lines(alert_), std::back_inserter(lines_));
    add_measurements();
    add_unmeasured();
    if (track::is_pending(alert_.state)) lines_.emplace_back(pending_words(alert_));
    if (std::string note = note_words(alert_); !note.empty() && !is_said(note)) {
      lines_.emplace_back(std::move(note));
    }
    return std::move(lines_);
  }

 private:
  void add_measurements() {
    std::vector<const track::AlertSeries*> measured;
    for (const track::AlertSeries& series : alert_.series) {
      if (!series.measured.empty()) measured.push_back(&series);
    }
    std::stable_sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) {
      return std::abs(a->measured.back().change) > std::abs(b->measured.back().change);
    });
    for (std::size_t i = 0; i < std::min(measured.size(), kShownMeasured); ++i) {
      const track::AlertSeries& series = *measured[i];
      const track::TrackedSeries* known = names_.find(series.id);
      if (alert_.series.size() > 1) {
        lines_.emplace_back((known == nullptr ? series.id : names_.name(*known)) + ':');
      }
      // What is reproduced is measured once more in the same night, and then anew.
      const track::AlertMeasurement* first = nullptr;
      for (const track::AlertMeasurement& each : series.measured) {
        const bool once_more = first != nullptr && first->night == each.night;
        lines_.emplace_back((each.closing ? "to close it: " : "") +
                            measurement_text(each, once_more));
        first = !once_more && each.reproduced ? &each : nullptr;
      }
      if (!series.measured.back().cause.empty()) {
        lines_.emplace_back("cause: " + series.measured.back().cause);
      }
    }
    if (measured.size() > kShownMeasured) {
      const auto more = static_cast<std::int64_t>(measured.size() - kShownMeasured);
      lines_.emplace_back(text::counted(more, "series") + (more == 1 ? " more was" : " more were") +
                          " measured (the JSON form has all)");
    }
  }

  // Why series of the alert could not be measured tonight; equal sentences once.
  void add_unmeasured() {
    for (const campaign::ConfirmedNight& measured : checked_.measured) {
      for (const campaign::ConfirmedSeries& series : measured.series) {
        if (series.state != track::AlertState::kSuspect || series.why.empty()) continue;
        if (alert_.find(series.suspect.series) == nullptr) continue;
        std::string line = "not measured again: " + series.why;
        if (!is_said(line)) lines_.emplace_back(std::move(line));
      }
    }
  }

  [[nodiscard]] bool is_said(const std::string& line) const {
    return std::ranges::find(lines_, line, &document::Line::text) != lines_.end();
  }

  const track::Alert& alert_;
  const campaign::CheckedNight& checked_;
  const SeriesNames& names_;
  std::vector<document::Line> lines_;
};

// "A17, opened tonight: regression, 2 series worse"
std::string alert_headline(const track::Alert& alert, const track::Night& night) {
  const bool tonight =
      std::any_of(night.runs.begin(), night.runs.end(),
                  [&](const track::TrackedRun& run) { return run.run_id == alert.opened_run; });
  std::string text = alert.id;
  text += tonight ? ", opened tonight" : ", open since " + alert.opened_utc.substr(0, 10);
  text += ": " + std::string(name_of(alert.state)) + ", " +
          text::counted(std::ssize(alert.series), "series") + (alert.worse ? " worse" : " better");
  if (!alert.assignee.empty()) text += ", " + alert.assignee + "'s";
  return text;
}

}  // namespace

document::Paragraph alert_paragraph(const track::Alert& alert,
                                    const campaign::CheckedNight& checked,
                                    const SeriesNames& names) {
  document::Paragraph paragraph{.text = alert_headline(alert, checked.night),
                                .tone = tone_of(track::night_state_of(alert.state), alert.worse)};
  if (alert.state == track::AlertState::kAcknowledged) {
    const std::string words = acceptance_words(alert);
    paragraph.text +=
        (alert.note.empty() ? "" : ": " + alert.note) + (words.empty() ? "" : ", " + words);
    return paragraph;
  }
  paragraph.below = AlertWriter(alert, checked, names).lines();
  return paragraph;
}

}  // namespace stepbench::report
