// SPDX-License-Identifier: Apache-2.0
// Determines which alerts users must be notified of: each once, and again when it grows or its
// acceptance ends. Notifications are recorded as events, so that none is repeated on another
// machine or after a crash. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/alert.h"

namespace stepbench::nights {

// TrackEvent::what of events that are not about an alert. kPeopleNotified is recorded before the
// notification command is started, kNotificationFailed if it failed, so that the next night tries
// again. Details: alert, news.
inline constexpr const char* kPeopleNotified = "people-told";
inline constexpr const char* kNotificationFailed = "people-not-told";

struct Notice {
  std::string alert_id = {};
  std::string news_utc = {};
};

// Notices for open alerts of this host, without news from before `oldest_utc`, in the order of the
// alerts. `host` empty: all hosts.
[[nodiscard]] std::vector<Notice> pending_notices(std::span<const track::TrackEvent> events,
                                                  std::string_view oldest_utc,
                                                  std::string_view host = {});

// `what`: kPeopleNotified or kNotificationFailed; `reason`: why it failed.
[[nodiscard]] track::TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc,
                                         std::string who, std::string reason = {});

}  // namespace stepbench::nights
