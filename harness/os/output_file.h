// SPDX-License-Identifier: Apache-2.0
// The one way in which files are replaced: whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/os/descriptor.h"

namespace stepbench::os {

// A regular file, or one that is not there yet, is replaced as a whole: who reads it meanwhile sees
// the old text or the new one, and so does whoever looks after a full disk or a lost machine. It
// keeps its permissions. A pipe is written to as it is. One thread.
class OutputFile {
 public:
  // Errors name `flag`, or without one the file itself. Opens nothing: that is left to the first
  // write().
  OutputFile(std::string flag, std::filesystem::path output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without close() the old file stays

  // All throw ConfigError that says why, and leave the old file.
  void write(std::string_view text);
  // All of it is on disk, beside the old one: what it is there may be read back before close().
  const std::filesystem::path& finish();
  // Now it stands there. `on_disk`: also after a power cut, which takes time for a large file.
  void close(bool on_disk = true);

 private:
  void open();
  void check(bool done) const;
  [[noreturn]] void cannot_write(const std::string& why) const;

  std::string flag_;
  std::filesystem::path output_;
  std::filesystem::path target_;   // what a link leads to
  std::filesystem::path written_;  // beside it, or the target itself; empty: not opened yet
  Descriptor descriptor_;
};

// All of it at once. Nothing for an empty name.
void write_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::string_view text);

// Files that are beside the file that they are to replace when a program is killed have this in
// their names. Nothing reads them, and whoever writes the file next uses them up.
inline constexpr std::string_view kUnfinishedPart = ".part";

}  // namespace stepbench::os
