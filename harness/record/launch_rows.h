// SPDX-License-Identifier: Apache-2.0
// The launch lines of a result file without its samples, which are most of it: for questions that
// need only what a launch was and how long it took. Any thread, one call at a time for each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "harness/record/rows.h"

namespace stepbench::record {

// Gives each launch of a case that is `wanted` to `take`, in the order of the file. Lines that
// cannot be read are passed over. Returns the bytes that were looked through. Throws ConfigError
// when the file cannot be read.
std::uintmax_t read_launch_rows(const std::filesystem::path& file,
                                const std::function<bool(std::string_view case_id)>& wanted,
                                const std::function<void(const LaunchRow& row)>& take);

// What else lies beside runs as lines of JSON and is none: the events of a history
// (history.db.events.jsonl), and what was begun of a night.
inline constexpr std::string_view kEventsEnding = ".events.jsonl";
inline constexpr std::string_view kUnfinishedNight = "unfinished-night-";

// By its name: .jsonl or .jsonl.gz.
[[nodiscard]] bool is_result_file(const std::filesystem::path& path);

}  // namespace stepbench::record
