// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/notices.h"

#include <map>
#include <utility>

namespace stepbench::nights {

std::vector<Notice> pending_notices(std::span<const track::TrackEvent> events,
                                    std::string_view oldest_utc, std::string_view host) {
  std::map<std::string, std::string, std::less<>> notified;  // by alert: news sent before
  for (const track::TrackEvent& event : events) {
    const std::string alert = text_of(event.details, "alert");
    if (event.what == kPeopleNotified) notified[alert] = text_of(event.details, "news");
    if (event.what == kNotificationFailed) notified.erase(alert);
  }
  std::vector<Notice> pending;
  for (const Alert& alert : fold_alerts(events).alerts) {
    if (alert.state != AlertState::kOpen || alert.news_utc < oldest_utc) continue;
    if (!host.empty() && alert.host != host) continue;
    const auto known = notified.find(alert.id);
    if (known != notified.end() && known->second >= alert.news_utc) continue;
    pending.push_back({alert.id, alert.news_utc});
  }
  return pending;
}

track::TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc,
                           std::string who, std::string reason) {
  return {.at_utc = std::move(at_utc),
          .who = std::move(who),
          .what = what,
          .reason = std::move(reason),
          .details = {{"alert", notice.alert_id}, {"news", notice.news_utc}}};
}

}  // namespace stepbench::nights
