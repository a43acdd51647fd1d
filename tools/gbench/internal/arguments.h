// SPDX-License-Identifier: Apache-2.0
// Command line of stepbench-gbench: options of `stepbench run` as --sb-NAME, and those of Google
// Benchmark unchanged.
#pragma once

#include <string>
#include <vector>

#include "harness/campaign/run_experiment.h"

namespace stepbench::gbench {

struct Arguments {
  campaign::RunRequest request = {};
  std::vector<std::string> benchmark = {};  // for benchmark::Initialize, without the program name
  bool lists = false;                       // --benchmark_list_tests
  bool in_unit = false;                     // --benchmark_time_unit
  bool repeats = false;                     // --benchmark_repetitions: overrides `launches`
  bool writes = false;                      // --benchmark_out
  std::string format = "json";              // --benchmark_out_format
  std::string help = {};                    // text to print instead of measuring
};

// `given`: without the program name. Throws ConfigError for unknown options and for options that do
// not apply here.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& given);

// Rewrites a message of the library to use the option names of this program: --sb-set for --set.
[[nodiscard]] std::string with_option_prefixes(std::string text);

}  // namespace stepbench::gbench
