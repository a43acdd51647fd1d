// SPDX-License-Identifier: Apache-2.0
// A history and its nights on disk: reads the stored states, judges, and records the whole night in
// one transaction. Includes the history's store, its import and the actions of users. Throws
// ConfigError for user errors.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/internal/track_store.h"
#include "harness/nights/night.h"

namespace stepbench::nights {

// States after the last judged night.
[[nodiscard]] SeriesStates load_states(TrackStore& store, std::string_view host,
                                       std::string_view experiment);
// Standard deviation of a log ratio between builds of that series; nullopt: too few builds.
[[nodiscard]] std::optional<double> learnt_layout(TrackStore& store, const Alert& alert,
                                                  std::string_view series);
// The reference for the experiment's next night on that host.
[[nodiscard]] StoredReference stored_reference(TrackStore& store, std::string_view host,
                                               std::string_view experiment);

struct NightRequest {
  std::vector<std::string> runs = {};  // tonight's run ids, one per experiment
  std::vector<NightPairs> pairs = {};  // measured by `nightly`; empty: taken from the history
  std::string who = {};                // user@host
  std::string now_utc = {};            // 2026-01-31T12:00:00Z
  ExitRules exit = {};
};
struct StoredNight {
  Night night = {};
  History history = {};  // with the newest points of its series
};
// Records pairs, events and states atomically. A night that was judged before gets its earlier
// result; a night before an already judged one is not recorded.
[[nodiscard]] StoredNight judge_and_record(const NightRequest& request, TrackStore& store);

// Rejudges all nights of a host from their events and writes the states. Returns the number of
// nights. Reported alerts stay unchanged.
std::size_t rebuild(TrackStore& store, std::string_view host);

}  // namespace stepbench::nights
