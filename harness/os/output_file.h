// SPDX-License-Identifier: Apache-2.0
// A file that the user named for output, looked at before any work is done for it. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace stepbench {

// Throws ConfigError, which names `flag`, when writing `output` would destroy what the command
// reads: one of `inputs` itself (by whatever name or link), or the results of a run, whose folder
// is no place for other .jsonl files; and when it cannot be written: its folder is not there, it is
// a folder, or writing is not permitted. Writes nothing. Nothing for an empty name.
void check_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::span<const std::filesystem::path> inputs);

}  // namespace stepbench
