// SPDX-License-Identifier: Apache-2.0
// The fields of the lines of a result file, each declared once for writer and reader, and the JSON
// Schema made from them; results/SCHEMA.md documents them. Pure; any thread.
#pragma once

#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/findings/fields.h"
#include "harness/json/fields.h"
#include "harness/record/input.h"
#include "harness/record/rows.h"

namespace stepbench {

template <typename V>
void fields(V& v, json::Of<Metric> auto& metric) {
  v("name", metric.name, {.filled = true, .most_bytes = record::kMaxNameBytes});
  v("unit", metric.unit)("role", metric.role, json::kFilled);
  v("direction", metric.direction, json::kFilled)("doc", metric.doc);
  v("source", metric.source, {.sparse = true, .known = false, .since = 2});
  if constexpr (V::kReads) metric.exact = exact_by_unit(metric);
  v("exact", metric.exact, {.written = metric.exact || exact_by_unit(metric), .since = 2});
  v("phase", metric.phase, {.sparse = true, .since = 4});
}

}  // namespace stepbench

namespace stepbench::record {

// Limit for names: they appear in tables, in keys of a history and in file names.
inline constexpr json::FieldRule kName{.most_bytes = kMaxNameBytes};
inline constexpr json::FieldRule kFilledName{.filled = true, .most_bytes = kMaxNameBytes};

template <typename V>
void fields(V& v, json::Of<LaunchKey> auto& key) {
  v("case_id", key.case_id, kFilledName)("arm", key.arm, kName)("pass", key.pass);
  v("launch", key.launch)("rank", key.rank);
}

template <typename V>
void fields(V& v, json::Of<CommandLine> auto& asked) {
  v("folder", asked.folder)("set", asked.set)("sweep", asked.sweep)("filter", asked.filter);
  v("cases", asked.cases)("worker", asked.worker);
}

template <typename V>
void fields(V& v, json::Of<RunRow> auto& row) {
  v.constant("kind", "run").constant("schema", kResultSchema).constant("version", kResultVersion);
  v("run_id", row.run_id, kName)("name", row.name, kName);
  v("stepbench_version", row.stepbench_version)("started_utc", row.started_utc);
  v("argv", row.argv)("config_path", row.config_path)("config_text", row.config_text);
  v("config_hash", row.config_hash)("plan_digest", row.plan_digest)("cases", row.cases);
  v("swept", row.swept)("smoke", row.smoke)("asked", row.asked, {.since = 5});
  v("labels", row.labels, {.since = 6})("context", row.context);
}

template <typename V>
void fields(V& v, json::Of<ColumnRow> auto& row) {
  v.constant("kind", "columns")("columns", row.columns);
}

template <typename V>
void fields(V& v, json::Of<WorkerRow> auto& row) {
  v.constant("kind", "worker")("worker_id", row.worker_id, kFilledName)("path", row.path);
  v("build_id", row.build_id)("environment", row.environment);
}

template <typename V>
void fields(V& v, json::Of<StartRow> auto& row) {
  v.constant("kind", "start");
  fields(v, row.key);
  v("place", row.place)("attempt", row.attempt)("started_utc", row.started_utc);
  v("options", row.options);
}

template <typename V>
void data_fields(V& v, json::Of<CycleSamples> auto& samples) {
  v("cycle", samples.cycle).series("steps", samples.steps);
}

template <typename V>
void data_fields(V& v, json::Of<ops::OpFrame> auto& frame) {
  v("table", frame.table, json::kFilled)("strings", frame.strings).series("rows", frame.series);
}

template <typename V>
void data_fields(V& v, json::Of<LaunchReport> auto& report) {
  v("effective", report.effective)("schedule", report.schedule)("metrics", report.metrics);
  v("fingerprint", report.fingerprint)("flags", report.flags)("notes", report.notes);
  v("findings", report.findings.all(), json::kSparse);
}

template <typename V>
void fields(V& v, json::Of<SamplesRow> auto& row) {
  v.constant("kind", "samples");
  fields(v, row.key);
  data_fields(v, row.samples);
}

template <typename V>
void fields(V& v, json::Of<OpsRow> auto& row) {
  v.constant("kind", "ops");
  fields(v, row.key);
  data_fields(v, row.frame);
}

template <typename V>
void fields(V& v, json::Of<LaunchRow> auto& row) {
  v.constant("kind", "launch");
  fields(v, row.key);
  v("point_id", row.point_id, kName)("workload", row.workload, kName);
  v("worker_id", row.worker_id, kName)("world", row.world)("block", row.block);
  v("position", row.position)("place", row.place)("attempt", row.attempt)("smoke", row.smoke);
  v("outcome", row.outcome.kind, json::kFilled)("reason", row.outcome.reason)("stage", row.stage);
  v("options", row.options);
  data_fields(v, row.report);
  v("machine", row.machine).non_finite();
  v("started_utc", row.started_utc)("wall_ns", row.wall_ns)("output", row.output);
  v("repeat_command", row.repeat_command);
}

template <typename V>
void fields(V& v, json::Of<EndRow> auto& row) {
  v.constant("kind", "end")("measured", row.measured)("skipped", row.skipped);
  v("failed", row.failed)("reason", row.reason)("ended_utc", row.ended_utc);
}

// Data lines of a worker: lines of a result file without the launch's key and the fields that only
// the controller knows.
template <typename V>
void fields(V& v, json::Of<CycleSamples> auto& samples) {
  v.constant("kind", "samples");
  data_fields(v, samples);
}

template <typename V>
void fields(V& v, json::Of<LaunchReport> auto& report) {
  v.constant("kind", "launch");
  data_fields(v, report);
  v.non_finite();
}

}  // namespace stepbench::record

namespace stepbench::ops {

template <typename V>
void fields(V& v, json::Of<OpFrame> auto& frame) {
  v.constant("kind", "ops");
  record::data_fields(v, frame);
}

}  // namespace stepbench::ops

namespace stepbench::record {

// For programs that check result files.

// JSON Schema of one line. It holds for the files of every earlier minor version, too.
[[nodiscard]] std::string result_schema();

}  // namespace stepbench::record
