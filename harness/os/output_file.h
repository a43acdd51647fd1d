// SPDX-License-Identifier: Apache-2.0
// A file that the user named for output, looked at before any work is done for it. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stepbench {

// Throws ConfigError, which names `flag`, when writing `output` would destroy what the command
// reads: one of `inputs` itself (by whatever name or link), or the results of a run, whose folder
// is no place for other .jsonl files; and when it cannot be written: its folder is not there, it is
// a folder, or writing is not permitted. Writes nothing. Nothing for an empty name.
void check_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::span<const std::filesystem::path> inputs);

// Writes all of it, or throws ConfigError that names `flag` and says why. A regular file, or one
// that is not there yet, is replaced as a whole: who reads it meanwhile sees the old text or the
// new one. Anything else (a device, a pipe) is written to. Nothing for an empty name.
void write_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::string_view text);

}  // namespace stepbench
