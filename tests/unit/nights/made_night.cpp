// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/nights/made_night.h"

#include <cstdio>

namespace stepbench::testing_history {
namespace {

record::Launch make_launch(const MadeNight& made, const std::string& case_id, int number) {
  record::Launch launch;
  record::LaunchRow& row = launch.row;
  row.key = {.case_id = case_id, .arm = made.arm, .pass = made.pass, .launch = number};
  row.point_id = case_id;
  row.workload = "train_step";
  row.worker_id = "w1";
  row.smoke = made.smoke;
  row.options = {{"device", Value{std::string("cpu")}},
                 {"launches", Value{std::int64_t{made.launches}}},
                 {"loader.num_workers", Value{std::int64_t{2}}},
                 {"track.control", Value{case_id == made.control}},
                 {"track.version", Value{std::int64_t{1}}}};
  row.report.metrics = {{"peak_rss_bytes", 1e9 + number}};
  row.started_utc = made.started_utc;
  row.wall_ns = 1'000'000'000 + number;
  Series steps{.names = {"index", "step_ns", "data_wait_ns", "other_ns", "flags"},
               .columns = std::vector<std::vector<std::int64_t>>(5)};
  const std::int64_t whole = made.step_ns(case_id, number);
  for (int step = 0; step < made.steps; ++step) {
    steps.columns[0].push_back(step);
    steps.columns[1].push_back(whole);
    steps.columns[2].push_back(whole / 2);
    steps.columns[3].push_back(whole - whole / 2);
    steps.columns[4].push_back(0);
  }
  launch.samples.push_back({.cycle = 0, .steps = std::move(steps)});
  return launch;
}

}  // namespace

record::Results make(const MadeNight& made) {
  record::Results results;
  record::RunRow run;
  run.run_id = made.run_id;
  run.name = made.name;
  run.started_utc = made.started_utc;
  run.config_hash = made.config_hash;
  run.config_path = "configs/nightly.yaml";
  run.config_text = "workload: train_step\n";
  run.smoke = made.smoke;
  run.labels = made.labels;
  run.swept = {"loader.num_workers"};
  run.asked = {.folder = "/src", .set = {"seed=1"}};
  run.context = {
      {"git.branch", Value{std::string("main")}}, {"git.dirty", Value{made.dirty}},
      {"git.sha", Value{std::string("5b66870")}}, {"host", Value{made.host}},
      {"shard", Value{std::string("1of1")}},      {"worker", Value{std::string("build/worker")}},
      {"worker_build_id", Value{made.build_id}}};
  results.runs.push_back(run);
  results.columns = {{.name = "step_ns", .unit = "ns", .doc = ""},
                     {.name = "data_wait_ns", .unit = "ns", .doc = "", .phase = true},
                     {.name = "other_ns", .unit = "ns", .doc = "", .phase = true},
                     {.name = "peak_rss_bytes", .unit = "bytes", .doc = ""}};
  record::WorkerRow worker;
  worker.worker_id = "w1";
  worker.build_id = made.build_id;
  worker.environment = made.environment;
  results.workers.push_back(worker);
  for (int number = 0; number < made.launches; ++number) {
    for (const std::string& case_id : made.cases) {
      results.launches.push_back(make_launch(made, case_id, number));
    }
  }
  return results;
}

MadeNight night(int day, MadeNight made) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "202601%02d-020000-", day);
  made.run_id = text.data() + made.name;
  std::snprintf(text.data(), text.size(), "2026-01-%02dT02:00:00Z", day);
  made.started_utc = text.data();
  return made;
}

}  // namespace stepbench::testing_history
