// SPDX-License-Identifier: Apache-2.0
// Checks the files that a command reads against those that it writes, before any work is done, and
// suggests a file for a path that does not exist. A file is identified by its device and inode, so
// that links and other spellings do not hide it. Writes nothing; any thread.
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
  bool forced = false;  // may replace any existing file
};

// A rejected output: nothing may be written to it, not even an error report.
class OutputRefused : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

struct CommandFiles {
  std::vector<NamedFile> inputs = {};  // files, or folders whose files are read
  std::vector<NamedFile> outputs = {};
  std::vector<NamedFile> output_folders = {};  // folders that are filled with files
};

// Target of a path after all links, even if it does not exist yet.
[[nodiscard]] std::filesystem::path resolved_path(const std::filesystem::path& path);

// True for a link to a file of another folder, except system links such as /dev/stdout: writing to
// it would change a file other than the named one.
[[nodiscard]] bool leads_elsewhere(const std::filesystem::path& file);

// Throws OutputRefused naming the option if an output is an input or another output; is a folder or
// a device; is a database, a program or among the results of a run; is a link to another folder; is
// not empty and does not begin like a file of this program, unless forced; or is not writable. Also
// if an output folder is a file or contains an input. Ignores empty names.
void check_files(const CommandFiles& files);

// Why nothing is found at `path`: `otherwise`, unless there is something that leads nowhere (a
// link) or that the system refuses to open.
[[nodiscard]] std::string why_absent(const std::filesystem::path& path, std::string otherwise);

// Returns " (did you mean 'configs/quickstart.yaml'?)" with the most similar name in the same
// folder, or in a `configs` folder next to it. Empty if none is similar.
[[nodiscard]] std::string similar_file_hint(const std::filesystem::path& path);

}  // namespace stepbench::os
