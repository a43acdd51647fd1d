// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/campaign/made_runs.h"

#include "harness/record/internal/line_codec.h"

namespace stepbench::testing_runs {
namespace {

record::RunRow header_of(const MadeRun& made) {
  record::RunRow run{.run_id = made.id,
                     .name = made.id.size() > 16 ? made.id.substr(16) : made.id,
                     .stepbench_version = "0.1.0",
                     .started_utc = made.started_utc,
                     .argv = {"stepbench", "run", "demo.yaml"},
                     .config_path = "demo.yaml",
                     .config_text = "name: demo\n",
                     .cases = made.cases,
                     .smoke = made.smoke,
                     .labels = made.labels,
                     .context = {{"host", Value{std::string("box")}},
                                 {"shard", Value{std::string("1of1")}},
                                 {"git.sha", Value{std::string("0123456789abcdef")}},
                                 {"git.branch", Value{std::string("main")}},
                                 {"git.dirty", Value{false}}}};
  for (const auto& [name, value] : made.context) run.context.insert_or_assign(name, value);
  return run;
}

}  // namespace

fs::path make_run(const test::TemporaryFolder& results, const MadeRun& made) {
  std::string text = record::encode(header_of(made)) + '\n';
  text += record::encode(record::ColumnRow{{{.name = "step_ns", .unit = "ns", .doc = ""}}}) + '\n';
  text += record::encode(
              record::WorkerRow{.worker_id = "w1", .path = "stub-worker", .build_id = "b1"}) +
          '\n';
  for (int number = 0; number < made.launches; ++number) {
    for (int one = 0; one < made.cases; ++one) {
      record::LaunchRow row;
      row.key = {.case_id = "case" + std::to_string(one), .launch = number};
      row.point_id = row.key.case_id;
      row.workload = "stub";
      row.worker_id = "w1";
      row.smoke = made.smoke;
      row.options = {{"stub.number", Value{std::int64_t{one}}}};
      row.started_utc = made.started_utc;
      row.wall_ns = 1'000'000'000;
      made.change(row);
      text +=
          record::encode(record::StartRow{.key = row.key, .started_utc = row.started_utc}) + '\n';
      text += record::encode(record::SamplesRow{
                  .key = row.key,
                  .samples = {.cycle = 0,
                              .steps = {.names = {"index", "step_ns"},
                                        .columns = {{1, 2, 3}, {1000 + one, 2000, 3000}}}}}) +
              '\n';
      text += record::encode(row) + '\n';
    }
  }
  if (!made.end.empty()) {
    text +=
        record::encode(record::EndRow{.reason = made.end, .ended_utc = made.started_utc}) + '\n';
  }
  results.write(made.id + "/" + made.file, text);
  return results / made.id;
}

}  // namespace stepbench::testing_runs
