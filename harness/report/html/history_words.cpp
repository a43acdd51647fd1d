// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/history_words.h"

#include <algorithm>
#include <cmath>

#include "harness/text/numbers.h"

namespace stepbench::report {

std::string commit_words(const track::TrackedRun& run) {
  constexpr std::size_t kDigits = 8;
  std::string text;
  if (!run.git_sha.empty()) text = "commit " + run.git_sha.substr(0, kDigits);
  if (!run.git_branch.empty()) text += " of " + run.git_branch;
  if (run.git_dirty) text += ", with changes that are not committed";
  if (text.empty() && !run.build_id.empty()) text = "build " + run.build_id.substr(0, kDigits);
  return text;
}

const track::Alert* alert_named(const HistoryView& view, const std::string& id) {
  const auto found = std::find_if(view.alerts.begin(), view.alerts.end(),
                                  [&](const track::Alert* alert) { return alert->id == id; });
  return found == view.alerts.end() ? nullptr : *found;
}

std::string alert_words(const track::Alert& alert) {
  std::string text = alert.id + ": " + std::string(track::name_of(alert.state));
  if (alert.expect) text += ", as far as " + text::signed_percent(*alert.expect) + " %";
  if (!alert.until.empty()) text += ", until " + alert.until;
  if (!alert.note.empty()) text += "; " + alert.note;
  return text;
}

bool has_value(const HistoryNight& night) {
  return night.point != nullptr && std::isfinite(night.point->value);
}

std::vector<std::string> marks_of(const HistoryNight& night, const HistoryView& view) {
  std::vector<std::string> marks;
  if (!night.alert.empty()) {
    const track::Alert* alert = alert_named(view, night.alert);
    marks.push_back(alert == nullptr ? night.alert + " began" : alert_words(*alert));
  } else if (night.fired) {
    marks.emplace_back("moved: suspect");
  }
  if (night.begins_segment) marks.emplace_back("new segment: another environment or baseline");
  if (night.changed != nullptr) {
    marks.push_back("level changed " + text::signed_percent(night.changed->change()) + " %");
  }
  return marks;
}

}  // namespace stepbench::report
