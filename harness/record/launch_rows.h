// SPDX-License-Identifier: Apache-2.0
// The launch lines of a result file without their samples, which are most of its bytes, and the
// options of its cases: for callers that only need what a launch was and how long it took. Any
// thread, one call at a time for each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/option_values.h"
#include "harness/record/rows.h"

namespace stepbench::record {

// Passes each launch of a `wanted` case to `take`, in file order. Skips unreadable lines. Returns
// the number of bytes searched. Throws ConfigError if the file cannot be read.
std::uintmax_t read_launch_rows(const std::filesystem::path& file,
                                const std::function<bool(std::string_view case_id)>& wanted,
                                const std::function<void(const LaunchRow& row)>& take);

// Files of JSON lines next to runs that are not results: the events of a history
// (history.db.events.jsonl), and an unfinished night.
inline constexpr std::string_view kEventsEnding = ".events.jsonl";
inline constexpr std::string_view kUnfinishedNight = "unfinished-night-";

// Decides by the name: .jsonl or .jsonl.gz.
[[nodiscard]] bool is_result_file(const std::filesystem::path& path);

// Reads one launch of each case in a run's folder, by case id; skips samples. Empty if the folder
// has no readable results: callers have their own error to report.
[[nodiscard]] std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run);

}  // namespace stepbench::record
