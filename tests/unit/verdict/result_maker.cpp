// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/verdict/result_maker.h"

#include <cstdio>

#include "harness/record/result_file.h"

namespace stepbench {
namespace {

record::Launch make_launch(const MadeResults& made, const MadeCase& one, int number) {
  record::Launch launch;
  record::LaunchRow& row = launch.row;
  row.key = {.case_id = one.case_id, .arm = made.arm, .pass = made.pass, .launch = number};
  row.point_id = one.case_id;
  row.workload = "loader";
  row.worker_id = "w1";
  row.smoke = made.smoke;
  row.options = {{"device", Value{std::string("cpu")}},
                 {"loader.engine", Value{std::string("thread")}},
                 {"loader.num_workers", Value{one.num_workers}},
                 {"launches", Value{std::int64_t{made.launches}}}};
  row.report.metrics = {{"peak_device_bytes", one.peak_bytes(number)}, {"copies", 120.0}};
  if (one.faults_per_step) {
    row.report.metrics["minor_faults"] = *one.faults_per_step * made.steps + number % 3;
  }
  char started[32];
  std::snprintf(started, sizeof started, "2026-01-31T12:%02d:%02dZ", number / 60, number % 60);
  row.started_utc = started;
  Series steps{.names = {"index", "step_ns", "data_wait_ns", "other_ns", "flags"},
               .columns = std::vector<std::vector<std::int64_t>>(5)};
  for (int step = 0; step < made.steps; ++step) {
    const std::int64_t whole = one.step_ns(number);
    const std::int64_t wait = one.data_wait_ns(number);
    steps.columns[0].push_back(step);
    steps.columns[1].push_back(whole);
    steps.columns[2].push_back(wait);
    steps.columns[3].push_back(whole - wait);
    steps.columns[4].push_back(0);
  }
  launch.samples.push_back({.cycle = 0, .steps = std::move(steps)});
  launch.place = static_cast<std::size_t>(number);
  return launch;
}

}  // namespace

record::Results make(const MadeResults& made) {
  record::Results results;
  record::RunRow run;
  run.run_id = "20260131-120000-made";
  run.name = "made";
  run.started_utc = "2026-01-31T12:00:00Z";
  run.smoke = made.smoke;
  run.context = {{"data_digest", Value{made.data_digest}}};
  results.runs.push_back(run);
  results.columns = {{.name = "step_ns", .unit = made.step_unit, .doc = ""},
                     {.name = "data_wait_ns", .unit = "ns", .doc = "", .phase = true},
                     {.name = "other_ns", .unit = "ns", .doc = "", .phase = true},
                     {.name = "peak_device_bytes", .unit = "bytes", .doc = ""},
                     {.name = "copies", .unit = "", .doc = "", .exact = true}};
  record::WorkerRow worker;
  worker.worker_id = "w1";
  worker.build_id = "b1";
  worker.environment = made.environment;
  results.workers.push_back(worker);
  for (int number = 0; number < made.launches; ++number) {
    for (const MadeCase& one : made.cases) {
      results.launches.push_back(make_launch(made, one, number));
    }
  }
  return results;
}

void write(const record::Results& results, const fs::path& file) {
  record::ResultWriter writer(file);
  writer.write(results.runs.at(0));
  writer.write(record::ColumnRow{results.columns});
  for (const record::WorkerRow& worker : results.workers) writer.write(worker);
  for (const record::Launch& launch : results.launches) {
    writer.write(record::StartRow{
        .key = launch.row.key, .attempt = 0, .started_utc = launch.row.started_utc});
    for (const record::CycleSamples& samples : launch.samples)
      writer.write({launch.row.key, samples});
    writer.write(launch.row);
  }
}

std::function<std::int64_t(int)> around_10_ms(double factor, int seed) {
  return [=](int launch) {
    const double ripple = 0.001 * ((launch * 7 + seed * 5) % 9 - 4);
    return std::llround(1e7 * factor * (1 + ripple));
  };
}

}  // namespace stepbench
