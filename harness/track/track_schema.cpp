// SPDX-License-Identifier: Apache-2.0
#include "harness/track/track_schema.h"

namespace stepbench::track {
namespace {

// Times are text, 2026-01-31T12:00:00Z. Keys begin with the run, whose id begins with its time: a
// night is appended to the end of each table, however long the history is.
std::vector<std::string> version_1(const store::Database& database) {
  const std::string keyed(database.keyed_table());
  return {
      "CREATE TABLE run (run_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, name TEXT NOT NULL, "
      "build_id TEXT NOT NULL, git_sha TEXT NOT NULL, git_branch TEXT NOT NULL, "
      "git_dirty BIGINT NOT NULL, config_hash TEXT NOT NULL, plan_digest TEXT NOT NULL, "
      "host TEXT NOT NULL, folder TEXT NOT NULL, worker_path TEXT NOT NULL, "
      "config_path TEXT NOT NULL, config_text TEXT NOT NULL, asked TEXT NOT NULL, "
      "labels TEXT NOT NULL, context TEXT NOT NULL, environment TEXT NOT NULL)",

      "CREATE TABLE cohort (cohort_id TEXT PRIMARY KEY, fields TEXT NOT NULL)",

      "CREATE TABLE series (series_id TEXT PRIMARY KEY, workload TEXT NOT NULL, "
      "case_id TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, "
      "options TEXT NOT NULL, machine TEXT NOT NULL, first_seen TEXT NOT NULL)",

      "CREATE TABLE launch (run_id TEXT NOT NULL REFERENCES run, case_id TEXT NOT NULL, "
      "arm TEXT NOT NULL, pass TEXT NOT NULL, launch BIGINT NOT NULL, rank BIGINT NOT NULL, "
      "attempt BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, "
      "steps BIGINT NOT NULL, cohort TEXT NOT NULL, line_digest TEXT NOT NULL, "
      "PRIMARY KEY (run_id, case_id, arm, pass, launch, rank)) " +
          keyed,

      // Of timing launches of rank 0: one number for each metric.
      "CREATE TABLE sample_summary (run_id TEXT NOT NULL, case_id TEXT NOT NULL, "
      "launch BIGINT NOT NULL, metric TEXT NOT NULL, value DOUBLE PRECISION NOT NULL, "
      "PRIMARY KEY (run_id, case_id, launch, metric)) " +
          keyed,

      "CREATE TABLE point (run_id TEXT NOT NULL REFERENCES run, "
      "series_id TEXT NOT NULL REFERENCES series, value DOUBLE PRECISION NOT NULL, "
      "n BIGINT NOT NULL, steps BIGINT NOT NULL, low DOUBLE PRECISION NOT NULL, "
      "high DOUBLE PRECISION NOT NULL, control DOUBLE PRECISION, cohort_id TEXT NOT NULL, "
      "state TEXT NOT NULL, PRIMARY KEY (run_id, series_id)) " +
          keyed,

      "CREATE TABLE event (event_id TEXT PRIMARY KEY, seq BIGINT NOT NULL, at TEXT NOT NULL, "
      "who TEXT NOT NULL, what TEXT NOT NULL, alert_id TEXT NOT NULL, from_state TEXT NOT NULL, "
      "to_state TEXT NOT NULL, reason TEXT NOT NULL, details TEXT NOT NULL)",

      "CREATE TABLE build (build_id TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, "
      "stored TEXT NOT NULL, PRIMARY KEY (build_id, host))",

      "CREATE TABLE claim (what TEXT PRIMARY KEY, who TEXT NOT NULL, until TEXT NOT NULL)",
  };
}

}  // namespace

std::span<const store::SchemaVersion> track_schema() {
  static const std::vector<store::SchemaVersion> versions = {version_1};
  return versions;
}

}  // namespace stepbench::track
