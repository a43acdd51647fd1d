// SPDX-License-Identifier: Apache-2.0
// Nights in a history on disk: reads the states that are there, judges, and records all of a night
// in one transaction. Throws ConfigError for what the user can mend.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/night.h"
#include "harness/track/track_store.h"

namespace stepbench::nights {

// States after the last night that was judged, by series id.
[[nodiscard]] std::map<std::string, SeriesState> load_states(track::TrackStore& store,
                                                             std::string_view host,
                                                             std::string_view experiment);
// Of a build of that series, a log ratio's standard deviation; nullopt: too few builds told it.
[[nodiscard]] std::optional<double> learnt_layout(track::TrackStore& store, const Alert& alert,
                                                  std::string_view series);
// What the experiment's next night on that host is measured beside.
[[nodiscard]] KeptReference kept_reference(track::TrackStore& store, std::string_view host,
                                           std::string_view experiment);

struct NightRequest {
  std::vector<std::string> runs = {};  // ids of tonight's, one for each experiment
  std::vector<NightPairs> pairs = {};  // what `nightly` measured; none: what the history has
  std::string who = {};                // user@host
  std::string now_utc = {};            // 2026-01-31T12:00:00Z
  ExitRules exit = {};
};
struct StoredNight {
  Night night = {};
  track::History history = {};  // with the newest points of its series
};
// Records pairs, events and states, all or nothing. A night that was judged before is answered
// as it was; of one before a later one nothing is recorded.
[[nodiscard]] StoredNight judge_and_record(const NightRequest& request, track::TrackStore& store);

// Judges all nights of a host anew, from their events, and writes the states. Returns how many
// nights. Alerts stay as they were told.
std::size_t rebuild(track::TrackStore& store, std::string_view host);

}  // namespace stepbench::nights
