// SPDX-License-Identifier: Apache-2.0
// The command line of stepbench-gbench: options of `stepbench run` as --sb-NAME, and those of
// Google Benchmark as they are.
#pragma once

#include <string>
#include <vector>

#include "harness/campaign/run_request.h"

namespace stepbench::gbench {

struct Arguments {
  campaign::RunRequest request = {};
  std::vector<std::string> benchmark = {};  // for benchmark::Initialize, without the program's name
  bool lists = false;                       // --benchmark_list_tests
  bool in_unit = false;                     // --benchmark_time_unit
  bool repeats = false;                     // --benchmark_repetitions: wins over `launches`
  bool writes = false;                      // --benchmark_out
  std::string format = "json";              // --benchmark_out_format
  std::string help = {};                    // to print instead of measuring
};

// `given`: without the program's name. Throws ConfigError for an option that neither has, and for
// one that has no meaning here.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& given);

// A message of the library, with its options as they are written here: --sb-set for --set.
[[nodiscard]] std::string in_our_words(std::string text);

}  // namespace stepbench::gbench
