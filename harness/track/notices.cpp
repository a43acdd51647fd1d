// SPDX-License-Identifier: Apache-2.0
#include "harness/track/notices.h"

#include <map>
#include <optional>
#include <utility>

namespace stepbench::track {
namespace {

struct News {
  std::int64_t number = 0;  // of the newest
  std::string at_utc = {};
};

bool is_news(AlertState to) {
  return to == AlertState::kSuspect || to == AlertState::kReproduced ||
         to == AlertState::kRegression;
}

// Every change of state to one that people are told of counts, the same night's, too: the newest
// one stands for those before it.
News news_of(const Alert& alert) {
  News news;
  std::optional<AlertState> state;
  AlertState before = AlertState::kSuspect;
  for (const TrackEvent& event : alert.events) {
    const auto what = alert_event_of(event.what);
    const auto to = what ? state_after(state, *what, before) : std::nullopt;
    if (!to) continue;
    if (to != state && is_news(*to)) news = {news.number + 1, event.at_utc};
    if (to == AlertState::kAcknowledged && state && to != state) before = *state;
    state = to;
  }
  return news;
}

}  // namespace

std::vector<Notice> notices_due(std::span<const TrackEvent> events, std::string_view oldest_utc) {
  std::map<std::string, std::int64_t, std::less<>> told;
  for (const TrackEvent& event : events) {
    const bool not_told = event.what == kNotTold;
    if (event.what != kTold && !not_told) continue;
    const auto number = static_cast<std::int64_t>(number_of(event.details, "number").value_or(0));
    told[text_of(event.details, "alert")] = not_told ? number - 1 : number;
  }
  std::vector<Notice> due;
  for (const Alert& alert : fold_alerts(events).alerts) {
    if (!alert.worse || !is_open(alert.state)) continue;
    const News news = news_of(alert);
    const auto known = told.find(alert.id);
    if (known != told.end() && known->second >= news.number) continue;
    if (news.number == 0 || news.at_utc < oldest_utc) continue;
    due.push_back({alert.id, news.number, alert.state});
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
