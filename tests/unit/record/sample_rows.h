// SPDX-License-Identifier: Apache-2.0
// Rows for tests of the result file: one of each kind, every field set.
#pragma once

#include "harness/findings/finding.h"
#include "harness/record/internal/line_codec.h"
#include "harness/record/rows.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::testing {

inline record::LaunchKey key(std::string case_id = "00112233aabbccdd", int launch = 0) {
  return {
      .case_id = std::move(case_id), .arm = "", .pass = Pass::kTiming, .launch = launch, .rank = 0};
}

inline record::RunRow run_row() {
  return {.run_id = "20260131-120000-demo",
          .name = "demo",
          .stepbench_version = "0.1.0",
          .started_utc = "2026-01-31T12:00:00Z",
          .argv = {"stepbench", "run", "demo.yaml"},
          .config_path = "demo.yaml",
          .config_text = "name: demo\nworkload: \"stub\"\t# \xC3\xA9\n",
          .config_hash = "feedfeedfeedfeed",
          .plan_digest = "0123456789abcdef",
          .cases = 2,
          .smoke = false,
          .context = {{"host", std::string("box")}, {"shard", std::int64_t{0}}}};
}

inline record::SamplesRow samples_row(record::LaunchKey of = key(), std::int64_t cycle = 0,
                                      std::int64_t first = 11) {
  return {.key = std::move(of),
          .samples = {.cycle = cycle,
                      .steps = {.names = {"index", "step_ns", "data_wait_ns", "other_ns", "samples",
                                          "flags"},
                                .columns = {{first, first + 1, first + 2},
                                            {1000, 2000, 3000},
                                            {100, 200, 300},
                                            {900, 1800, 2700},
                                            {64, 64, 32},
                                            {0, 0, 2}}}}};
}

inline record::LaunchRow launch_row(record::LaunchKey of = key()) {
  record::LaunchRow row;
  row.key = std::move(of);
  row.point_id = row.key.case_id;
  row.workload = "stub";
  row.worker_id = "w1";
  row.options = {{"loader.num_workers", std::int64_t{4}},
                 {"loader.pin_memory", true},
                 {"optimizer.lr", 2.0},
                 {"data.kind", std::string("synthetic")},
                 {"loader.prefetch_factor", Value{}}};
  row.report.effective = {{"loader.engine", std::string("thread")}};
  row.report.schedule = {{"active", std::int64_t{3}}, {"stop_reason", std::string("count")}};
  row.report.metrics = {{"set_up_ns", 1.5e6}, {"peak_rss_bytes", std::nullopt}};
  row.report.fingerprint = {{"loss", 0.25}};
  row.report.flags = {"clock_ties"};
  row.report.notes = {"a note"};
  row.report.findings = {{.id = "stub.slow",
                          .severity = Severity::kProblem,
                          .text = "a step in \"slow motion\"",
                          .value = 0.75,
                          .threshold = 0.5,
                          .unit = "ratio",
                          .share = 0.25,
                          .evidence = {"step_ns", "other_ns"},
                          .remedy = "Run.",
                          .set = {{.option = "stub.step_us", .value = "1"}}}};
  row.machine = {{"throttled", false}};
  row.started_utc = "2026-01-31T12:00:01Z";
  row.wall_ns = 123456789;
  row.output = "line\nwith \"quotes\"";
  row.repeat_command = "stepbench run demo.yaml --filter num_workers=4";
  return row;
}

inline fs::path write_file(const fs::path& file, std::string_view bytes) {
  fs::remove(file);  // some file systems flush a file that is truncated and rewritten
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

inline std::string read_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace stepbench::testing
