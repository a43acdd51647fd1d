// SPDX-License-Identifier: Apache-2.0
// Which alerts people have to be told of: each once, and again when it grows or its acceptance
// ends. What was told is remembered as events, so that nobody is told twice, on whatever machine
// and after whatever crash. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/alert.h"

namespace stepbench::nights {

// TrackEvent::what, of no alert. `told` is recorded before the command that tells is started, and
// `not-told` when it failed: then the next night tells it. Details: alert, news.
inline constexpr const char* kTold = "people-told";
inline constexpr const char* kNotTold = "people-not-told";

struct Notice {
  std::string alert_id = {};
  std::string news_utc = {};  // Alert::news_utc
};

// Of alerts of this host that are open now, without what became known before `oldest_utc`. In the
// order of the alerts. `host` is empty: of all hosts.
[[nodiscard]] std::vector<Notice> notices_due(std::span<const track::TrackEvent> events,
                                              std::string_view oldest_utc,
                                              std::string_view host = {});

// `what`: kTold or kNotTold; `reason`: why it failed.
[[nodiscard]] track::TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc,
                                         std::string who, std::string reason = {});

}  // namespace stepbench::nights
