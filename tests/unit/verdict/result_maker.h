// SPDX-License-Identifier: Apache-2.0
// Results like those of `stepbench run`, made from numbers of a test.
#pragma once

#include "harness/record/result_file.h"
#include "tests/testing.h"

namespace stepbench {

struct MadeCase {
  std::string case_id;
  std::int64_t num_workers = 0;
  // Step time and its data_wait part by launch number.
  std::function<std::int64_t(int)> step_ns;
  std::function<std::int64_t(int)> data_wait_ns = [](int) { return 1'000'000; };
  std::function<double(int)> peak_bytes = [](int) { return 1e9; };
  std::optional<double> faults_per_step = {};
};

struct MadeResults {
  std::vector<MadeCase> cases = {};
  int launches = 20;
  int steps = 5;
  bool smoke = false;
  std::string arm = {};
  Pass pass = Pass::kTiming;
  Fields environment = {{"cpu.model", Value{std::string("A")}},
                        {"kernel", Value{std::string("6.1")}}};
  std::string data_digest = "d1";
  std::string step_unit = "ns";
};

[[nodiscard]] record::Results make(const MadeResults& made);
void write(const record::Results& results, const fs::path& file);

// 10 ms with a ripple of +-0.4 %, different for each seed, times `factor`.
[[nodiscard]] std::function<std::int64_t(int)> around_10_ms(double factor, int seed);

}  // namespace stepbench
