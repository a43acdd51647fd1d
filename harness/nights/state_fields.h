// SPDX-License-Identifier: Apache-2.0
// JSON fields of the state of a series, each defined once.
#pragma once

#include "harness/json/fields.h"
#include "harness/nights/pairs_text.h"
#include "harness/nights/state.h"

namespace stepbench::nights {

// Omits common values, because a history writes dozens of rows per series every night.
template <typename V>
void fields(V& v, json::Of<BuildRow> auto& row) {
  v("build", row.build)("first", row.first_run);
  v("last", row.last_run, {.written = row.last_run != row.first_run});
  v("level", row.level, {.written = row.level != Level::kNow});
  v("night", row.night)("centre", row.centre);
  pairs_field(v, "pairs", row.pairs);
  v("count", row.count, {.written = row.count != row.pairs.size()});
  if constexpr (V::kReads) {
    if (row.last_run.empty()) row.last_run = row.first_run;
    if (row.count == 0) row.count = row.pairs.size();
  }
}

template <typename V>
void fields(V& v, json::Of<OpenChange> auto& open) {
  v("alert", open.alert)("size", open.size)("can_be_measured", open.can_be_measured);
}

template <typename V>
void fields(V& v, json::Of<SeriesState> auto& state) {
  v("run", state.run)("run_utc", state.run_utc);  // the database row holds the series id
  v("reference", state.reference)("reference_run", state.reference_run);
  v("environment", state.environment)("reference_value", state.reference_value);
  v("as_share", state.as_share, json::kSparse)("nights", state.nights);
  v("open", state.open, json::kSparse)("rows", state.rows);
}

}  // namespace stepbench::nights
