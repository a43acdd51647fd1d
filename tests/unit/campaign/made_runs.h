// SPDX-License-Identifier: Apache-2.0
// Folders of runs like those of `run` and `ab`, made without measuring.
#pragma once

#include "harness/record/rows.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::testing_runs {

struct MadeRun {
  std::string id = "20260131-120000-demo";
  std::string started_utc = "2026-01-31T12:00:00Z";
  std::string file = "box-1of1-7.jsonl";
  int cases = 2;
  int launches = 3;              // per case
  std::string end = "complete";  // empty: the run was killed
  bool smoke = false;
  Fields context = {};
  Fields labels = {};
  // Changes a launch before it is written.
  std::function<void(record::LaunchRow&)> change = [](record::LaunchRow&) {};
};

// Writes results/ID/FILE; returns the run's folder.
fs::path make_run(const test::TemporaryFolder& results, const MadeRun& made);

}  // namespace stepbench::testing_runs
