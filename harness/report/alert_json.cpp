// SPDX-License-Identifier: Apache-2.0
#include "harness/report/alert_json.h"

#include <optional>
#include <string>

#include "harness/report/series_names.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

const track::TrackedSeries* series_of(const track::History& history, const std::string& id) {
  const track::SeriesHistory* found = history.find_series(id);
  return found == nullptr ? nullptr : &found->series;
}

std::string program_title(const track::TrackedRun& run) {
  if (!run.git_sha.empty()) return run.git_sha.substr(0, 12) + (run.git_dirty ? " (dirty)" : "");
  return run.build_id.empty() ? run.run_id : "build " + run.build_id.substr(0, 12);
}

std::string range_title(const nights::Alert& alert, const track::History& history) {
  const track::TrackedRun* good = history.find_run(alert.last_good);
  const track::TrackedRun* bad = history.find_run(alert.first_bad);
  std::string from = good == nullptr ? alert.last_good : program_title(*good);
  std::string to = bad == nullptr ? alert.first_bad : program_title(*bad);
  if (good != nullptr && bad != nullptr) {
    from += differing_versions(*good, *bad);
    to += differing_versions(*bad, *good);
  }
  if (to.empty()) return {};
  return from.empty() ? "; first seen with " + to : "; between " + from + " and " + to;
}

std::optional<NamedRun> named_run(const std::string& id, const track::History& history) {
  if (id.empty()) return std::nullopt;
  const track::TrackedRun* run = history.find_run(id);
  return run == nullptr ? NamedRun{.run = {.run_id = id}} : NamedRun{*run, true};
}

NamedSeries named_series(const nights::AlertSeries& alert, const track::History& history,
                         const SeriesNames& names) {
  const track::TrackedSeries* series = series_of(history, alert.id);
  NamedSeries named{.alert = alert, .change = reported_change(alert, series)};
  if (series == nullptr) return named;
  named.series = *series;
  named.known = true;
  named.title = names.case_words(*series);
  return named;
}

}  // namespace

std::string alert_sentence(const nights::Alert& alert, const track::History& history) {
  std::string text = alert.id + " on " + alert.host + ": " +
                     (alert.state == nights::AlertState::kOpen ? std::string("regression")
                                                               : std::string(name_of(alert.state)));
  if (!alert.series.empty()) {
    const nights::AlertSeries& first = alert.series.front();
    text += ": " + first.experiment;
    const track::TrackedSeries* series = series_of(history, first.id);
    if (series != nullptr) {
      text += ' ' + SeriesNames(history).case_words(*series) + ", " + metric_label(series->metric) +
              ": " + amount_text(first.usual, series->unit) + " -> " +
              amount_text(first.value, series->unit) + ",";
    }
    text += " " + reported_text(first, series);
    if (!first.cause.empty()) text += " (" + first.cause + ")";
    if (alert.series.size() > 1) {
      text += " and " + std::to_string(alert.series.size() - 1) + " more series";
    }
  }
  return text::printable(text + range_title(alert, history));
}

NamedAlert named_alert(const nights::Alert& alert, const track::History& history,
                       const std::string& history_words) {
  NamedAlert named{.alert = alert,
                   .sentence = alert_sentence(alert, history),
                   .show = "stepbench track show " + alert.id + history_words,
                   .opened_run = named_run(alert.opened_run, history),
                   .first_bad = named_run(alert.first_bad, history),
                   .last_good = named_run(alert.last_good, history)};
  const SeriesNames names(history);
  for (const nights::AlertSeries& each : alert.series) {
    named.series.push_back(named_series(each, history, names));
  }
  return named;
}

std::string alert_json(const nights::Alert& alert, const track::History& history,
                       const std::string& history_words) {
  return json::object_text(named_alert(alert, history, history_words)) + "\n";
}

}  // namespace stepbench::report
