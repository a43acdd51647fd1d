// SPDX-License-Identifier: Apache-2.0
// The files that a command reads, held against those that it writes, before any work is done. A
// file is told by its device and inode, so that links and other spellings do not hide it; one that
// is not there yet, by the nearest folder that is. Writes nothing; any thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::os {

struct NamedFile {
  std::string option = {};  // "--output"
  std::filesystem::path path = {};
  bool forced = false;  // what is there is replaced, whatever it is
};

// An output that is refused: nothing may be written to it, not even what went wrong.
class OutputRefused : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

struct CommandFiles {
  std::vector<NamedFile> inputs = {};  // files, or folders of which the files are read
  std::vector<NamedFile> outputs = {};
  std::vector<NamedFile> output_folders = {};  // are filled with files
};

// Where a path leads, also when nothing is there yet: links are followed to the last one.
[[nodiscard]] std::filesystem::path resolved_path(const std::filesystem::path& path);

// Whether it is a link, but of the system as /dev/stdout is, to a file of another folder: what is
// written there is not what the name says.
[[nodiscard]] bool leads_elsewhere(const std::filesystem::path& file);

// Throws OutputRefused, which names the option, where an output is an input or another output; a
// folder or a device; a database, a program or among the results of a run, whatever the command
// reads; leads elsewhere; holds something and does not begin as what this program writes, unless it
// is forced; or cannot be written; where a folder that is filled is a file, or holds an input.
// Empty names are left out.
void check_files(const CommandFiles& files);

}  // namespace stepbench::os
