// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/notices.h"

#include <map>
#include <utility>

namespace stepbench::nights {

std::vector<Notice> notices_due(std::span<const track::TrackEvent> events,
                                std::string_view oldest_utc, std::string_view host) {
  std::map<std::string, std::string, std::less<>> told;  // by alert: news sent before
  for (const track::TrackEvent& event : events) {
    const std::string alert = text_of(event.details, "alert");
    if (event.what == kTold) told[alert] = text_of(event.details, "news");
    if (event.what == kNotTold) told.erase(alert);
  }
  std::vector<Notice> due;
  for (const Alert& alert : fold_alerts(events).alerts) {
    if (alert.state != AlertState::kOpen || alert.news_utc < oldest_utc) continue;
    if (!host.empty() && alert.host != host) continue;
    const auto known = told.find(alert.id);
    if (known != told.end() && known->second >= alert.news_utc) continue;
    due.push_back({alert.id, alert.news_utc});
  }
  return due;
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
