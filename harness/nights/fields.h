// SPDX-License-Identifier: Apache-2.0
// JSON fields, each defined once: of a night's verdict (`stepbench.night`, see results/NIGHT.md),
// and of what a history keeps of a series from night to night.
#pragma once

#include "harness/json/fields.h"
#include "harness/nights/internal/pairs.h"
#include "harness/nights/internal/state.h"
#include "harness/nights/night.h"

namespace stepbench::nights {

template <typename V>
void fields(V& v, json::Of<TrackedSeries> auto& series) {
  v("id", series.id)("experiment", series.experiment)("workload", series.workload);
  v("case_id", series.case_id)("metric", series.metric)("unit", series.unit);
  v("direction", series.direction)("options", series.options);
}

template <typename V>
void fields(V& v, json::Of<TrackedRun> auto& run) {
  v("run_id", run.run_id)("experiment", run.experiment)("started_utc", run.started_utc);
  v("host", run.host)("folder", run.folder)("build_id", run.build_id)("git_sha", run.git_sha);
  v("git_branch", run.git_branch)("git_dirty", run.git_dirty)("labels", run.labels);
}

template <typename V>
void fields(V& v, json::Of<JudgedRow> auto& night) {
  v("run_id", night.run)("state", night.state)("ratio", night.ratio)("change", night.change);
  v("change_low", night.low)("change_high", night.high)("told", night.reported);
  v("alert", night.alert);
}

template <typename V>
void fields(V& v, json::Of<Change> auto& change) {
  v("size", change.size)("low", change.low)("high", change.high);
  v("last_good", change.good)("first_bad", change.bad)("likely", change.likely);
}

template <typename V>
void fields(V& v, json::Of<NightSeries> auto& series) {
  fields(v, series.series);
  v("state", series.state)("why", series.why)("run_id", series.run)("value", series.value);
  v("usual", series.usual)("reference", series.reference)("change", series.change);
  v("change_low", series.low)("change_high", series.high)("as_share", series.as_share);
  v("worse", series.worse)("told", series.reported)("grew", series.grew)("fixed", series.fixed);
  v("pairs", series.pairs)("builds", series.builds)("layout", series.layout);
  v("spread", series.spread)("noisy", series.noisy)("margin", series.margin);
  v("alert", series.alert);
}

template <typename V>
void fields(V& v, json::Of<ReferenceMoved> auto& moved) {
  v("series", moved.series)("change", moved.change);
}

template <typename V>
void fields(V& v, json::Of<EnvironmentChange> auto& change) {
  v("experiment", change.experiment)("field", change.field);
  v("before", change.before)("tonight", change.tonight);
}

// Omits the pairs, which are written with each series.
template <typename V>
void fields(V& v, json::Of<NightExperiment> auto& experiment) {
  fields(v, experiment.run);
  auto& pairs = experiment.pairs;
  v("build", pairs.build)("reference", pairs.reference)("reference_run", pairs.reference_run);
  v("why", pairs.why)("reason", pairs.reason);
  v("environment", experiment.environment)("reference_moved", experiment.reference_moved);
}

template <typename V>
void fields(V& v, json::Of<RangeCommit> auto& commit) {
  v("sha", commit.sha)("author", commit.author)("title", commit.title)("url", commit.url);
}

// The state of a series.

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
  v("open", state.open, json::kSparse);
  std::string builds;
  if constexpr (!V::kReads) builds = rows_text(state.rows);
  v("builds", builds);
  if constexpr (V::kReads) state.rows = rows_of_text(builds);
}

}  // namespace stepbench::nights
