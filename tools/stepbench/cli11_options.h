// SPDX-License-Identifier: Apache-2.0
// For the commands of nights, which still declare their options with CLI11 itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_nightly(CLI::App& app, const Environment& environment, int& exit_code);
void add_track(CLI::App& app, const Environment& environment, int& exit_code);

void expect_one_of(CLI::Option& option, const std::vector<std::string>& names);
void expect_whole_number(CLI::Option& option, std::int64_t min, std::int64_t max);
void expect_number(CLI::Option& option, double min, double max, const std::string& unit);
CLI::Option& add_repeated(CLI::App& command, const std::string& flag,
                          std::vector<std::string>& values, const std::string& doc,
                          const std::string& value_name);

}  // namespace stepbench::cli
