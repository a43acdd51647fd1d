// SPDX-License-Identifier: Apache-2.0
// Reads only the launch lines of a result file and skips its samples, which are most of it: for
// callers that only need a launch's identity and duration. Any thread, one call at a time per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

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

}  // namespace stepbench::record
