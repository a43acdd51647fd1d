// SPDX-License-Identifier: Apache-2.0
// What a search leaves in its folder beside launches and programs: bisect.json, with what is
// searched, what was judged and the answer, for programs and to go on with; and bisect.log, for
// git. One thread; throw ConfigError.
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

// Names the folder of a search that begins now: "20260131-120000-bisect-train".
[[nodiscard]] std::string search_id(const std::string& name);

// The answer too, as far as it is known.
[[nodiscard]] std::string search_json(const BisectRun& run);
void write_search_file(const BisectRun& run);  // into its folder
// Throws for one of another major version, with who reads it.
[[nodiscard]] BisectRun read_search_file(const std::filesystem::path& folder);
// While it lives nobody else goes on with the search, or deletes it. Throws where somebody does.
[[nodiscard]] os::Descriptor lock_search(const std::filesystem::path& folder);
// False of one that was killed before it had a file, which begins anew: its folder is empty.
[[nodiscard]] bool has_begun(const std::filesystem::path& folder);
// Throws where the search of --resume is another one than is asked for.
void check_same_search(const BisectRun& earlier, const BisectRun& asked);
// What `git bisect replay` takes: what was built, by the side on which the answer has it. Empty of
// versions.
[[nodiscard]] std::string bisect_log(const BisectRun& run);

}  // namespace stepbench::bisect
