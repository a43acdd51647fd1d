// SPDX-License-Identifier: Apache-2.0
// The folder of a program that is kept: KEEP/BUILD/PROGRAM, where BUILD is the program's build id.
// A history says where it lies, and may be damaged or somebody else's: what is started or removed
// is first looked at here. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/track/track_store.h"

namespace stepbench::campaign {

// Of a build id, which is a name that a program chose.
[[nodiscard]] std::string kept_folder_name(const std::string& build_id);
[[nodiscard]] std::optional<std::string> build_id_of(const std::filesystem::path& program);

// Why the folder around it is none that was made for this program, so that it must not be removed;
// empty: it is, or nothing is there.
[[nodiscard]] std::string why_not_ours(const track::KeptBuild& build);

}  // namespace stepbench::campaign
