// SPDX-License-Identifier: Apache-2.0
// Files in a search's folder besides launches and programs: bisect.json, with the request, the
// measurements and the answer, for other programs and for resuming; and bisect.log, for git. One
// thread; throw ConfigError.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/bisect_run.h"
#include "harness/os/descriptor.h"

namespace stepbench::bisect {

inline constexpr const char* kSearchFile = "bisect.json";
inline constexpr const char* kLogFile = "bisect.log";
inline constexpr std::string_view kSearchSchema = "stepbench.bisect";
inline constexpr std::string_view kSearchVersion = "2.0.0";

// Name of a new search's folder: "20260131-120000-bisect-train".
[[nodiscard]] std::string search_id(const std::string& name);

// Includes the answer as far as known.
[[nodiscard]] std::string search_json(const BisectRun& run);
void write_search_file(const BisectRun& run);  // into the search's folder
// Throws for another major version, naming the version that can read it.
[[nodiscard]] BisectRun read_search_file(const std::filesystem::path& folder);
// While it is held, no other process may resume or delete the search. Throws if it is taken.
[[nodiscard]] os::Descriptor lock_search(const std::filesystem::path& folder);
// False if the search was killed before it wrote its file: it starts from scratch.
[[nodiscard]] bool has_begun(const std::filesystem::path& folder);
// Throws if the search of --resume differs from the requested one.
void check_same_search(const BisectRun& earlier, const BisectRun& asked);
// Input for `git bisect replay`: built commits, good or bad by the answer. Empty for versions.
[[nodiscard]] std::string bisect_log(const BisectRun& run);

}  // namespace stepbench::bisect
