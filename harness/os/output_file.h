// SPDX-License-Identifier: Apache-2.0
// A file that the user named for output, looked at before any work is done for it. Any thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace stepbench::os {

// Throws ConfigError, which names `flag`, when writing `output` would destroy what the command
// reads: one of `inputs` itself (by whatever name or link), or the results of a run, whose folder
// is no place for other .jsonl files; and when it cannot be written: its folder is not there, it is
// a folder, or writing is not permitted. Writes nothing. Nothing for an empty name.
void check_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::span<const std::filesystem::path> inputs);

// A regular file, or one that is not there yet, is replaced as a whole: who reads it meanwhile sees
// the old text or the new one. Anything else (a device, a pipe) is written to. One thread.
class OutputFile {
 public:
  // Errors name `flag`. Opens nothing: that is left to the first write().
  OutputFile(std::string flag, std::filesystem::path output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without close() the old file stays

  // Both throw ConfigError that says why, and leave the old file.
  void write(std::string_view text);
  void close();  // now it stands there

 private:
  [[noreturn]] void cannot_write(const std::string& why) const;

  std::string flag_;
  std::filesystem::path output_;
  std::filesystem::path target_;   // what a link leads to
  std::filesystem::path written_;  // beside it, or the target itself; empty: not opened yet
  std::ofstream file_;
};

// All of it at once. Nothing for an empty name.
void write_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::string_view text);

}  // namespace stepbench::os
