// SPDX-License-Identifier: Apache-2.0
#include "harness/track/notices.h"

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace stepbench::track {
namespace {

// What became known of an alert: by the place of the event in the history, so that what is told
// after it is known to be told.
struct Pending {
  std::size_t place = 0;  // from 1
  std::string at_utc = {};
  std::int64_t number = 0;
};

bool is_news(const Alert& alert, const TrackEvent& event) {
  const auto what = one_of<AlertEvent>(event.what);
  if (!what) return false;
  const auto state = alert.events.empty() ? std::nullopt : std::optional(alert.state);
  const Transition* known = transition(state, *what);
  if (known == nullptr || !known->told) return false;
  return state_after(state, *what, alert.before) == AlertState::kRegression;
}

}  // namespace

std::vector<Notice> notices_due(std::span<const TrackEvent> events, std::string_view oldest_utc,
                                std::string_view host) {
  std::map<std::string, Pending, std::less<>> news;
  std::map<std::string, std::size_t, std::less<>> told;  // by place
  std::size_t place = 0;
  const AlertLog log = fold_alerts(events, [&](const Alert* before, const TrackEvent& event) {
    ++place;
    if (event.what == kTold) told[text_of(event.details, "alert")] = place;
    if (event.what == kNotTold) told.erase(text_of(event.details, "alert"));
    if (before == nullptr || !is_news(*before, event)) return;
    Pending& one = news[event.alert_id];
    one = {place, event.at_utc, one.number + 1};
  });
  std::vector<Notice> due;
  for (const Alert& alert : log.alerts) {
    if (!alert.worse || alert.state != AlertState::kRegression) continue;
    if (!host.empty() && alert.host != host) continue;
    const auto known = news.find(alert.id);
    if (known == news.end() || known->second.at_utc < oldest_utc) continue;
    const auto told_at = told.find(alert.id);
    if (told_at != told.end() && told_at->second > known->second.place) continue;
    due.push_back({alert.id, known->second.number, alert.state});
  }
  return due;
}

TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc, std::string who,
                    std::string reason) {
  return {.at_utc = std::move(at_utc),
          .who = std::move(who),
          .what = what,
          .reason = std::move(reason),
          .details = {{"alert", notice.alert_id},
                      {"number", notice.number},
                      {"state", std::string(name_of(notice.state))}}};
}

}  // namespace stepbench::track
