// SPDX-License-Identifier: Apache-2.0
// The fields of what a history keeps of nights, each said once.
#pragma once

#include "harness/json/fields.h"
#include "harness/nights/pairs.h"
#include "harness/nights/pairs_text.h"
#include "harness/nights/state.h"

namespace stepbench::nights {

template <typename V>
void pairs_field(V& v, std::string_view name, auto& pairs) {
  std::string text;
  if constexpr (!V::kReads) text = pairs_text(pairs);
  v(name, text, json::kSparse);
  if constexpr (V::kReads) pairs = pairs_of_text(text);
}

template <typename V>
void fields(V& v, json::Of<SeriesPairs> auto& series) {
  v("series", series.series)("first", series.first)("as_share", series.as_share, json::kSparse);
  v("reference", series.reference)("cause", series.cause, json::kSparse);
  pairs_field(v, "pairs", series.pairs);
}

template <typename V>
void fields(V& v, json::Of<NightPairs> auto& night) {
  v("build", night.build)("reference", night.reference)("reference_run", night.reference_run);
  v("environment", night.environment)("why", night.why, {.known = false});
  v("judged", night.judged)("unfinished", night.unfinished, json::kSparse);
  v("notes", night.notes, json::kSparse)("series", night.series, json::kSparse);
}

template <typename V>
void fields(V& v, json::Of<BuildRow> auto& row) {
  v("build", row.build)("first", row.first_run)("last", row.last_run)("level", row.level);
  v("night", row.night)("centre", row.centre)("count", row.count);
  pairs_field(v, "pairs", row.pairs);
}

template <typename V>
void fields(V& v, json::Of<OpenChange> auto& open) {
  v("alert", open.alert)("size", open.size)("can_be_measured", open.can_be_measured);
}

template <typename V>
void fields(V& v, json::Of<SeriesState> auto& state) {
  v("run", state.run)("run_utc", state.run_utc);  // whose it is, its row says
  v("reference", state.reference)("reference_run", state.reference_run);
  v("environment", state.environment)("reference_value", state.reference_value);
  v("as_share", state.as_share, json::kSparse)("nights", state.nights);
  v("open", state.open, json::kSparse)("rows", state.rows);
}

}  // namespace stepbench::nights
