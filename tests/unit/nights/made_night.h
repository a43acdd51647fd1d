// SPDX-License-Identifier: Apache-2.0
// Nights like those of `stepbench run`, made from numbers of a test.
#pragma once

#include "harness/record/result_file.h"
#include "tests/testing.h"

namespace stepbench::testing_history {

struct MadeNight {
  std::string run_id = "20260131-020000-nightly";
  std::string started_utc = "2026-01-31T02:00:00Z";
  std::string name = "nightly";
  std::string host = "bench1";
  std::string build_id = "build1";
  std::string config_hash = "config1";
  std::vector<std::string> cases = {"aaaaaaaaaaaaaaaa"};
  int launches = 6;
  int steps = 5;
  // Time of a step by case and launch; its first half is data_wait.
  std::function<std::int64_t(const std::string& case_id, int launch)> step_ns =
      [](const std::string&, int launch) { return std::int64_t{10'000'000 + 1000 * launch}; };
  std::string control = {};  // id of the control case
  Fields labels = {};
  bool dirty = false;
  bool smoke = false;
  std::string arm = {};
  Pass pass = Pass::kTiming;
  Fields environment = {{"cpu.model", Value{std::string("EPYC")}},
                        {"cpu_capability", Value{std::string("AVX2")}},
                        {"kernel", Value{std::string("6.1.0-18-amd64")}},
                        {"torch", Value{std::string("2.11.0")}}};
};

[[nodiscard]] record::Results make(const MadeNight& made);

// The n-th night of a month, with its own id and date.
[[nodiscard]] MadeNight night(int day, MadeNight made = {});

}  // namespace stepbench::testing_history
