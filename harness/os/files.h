// SPDX-License-Identifier: Apache-2.0
// The files that a command writes and reads. Files are replaced atomically, and all output files
// are written through OutputFile. check_files() compares what a command reads with what it writes
// before any work is done.
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"

namespace stepbench::os {

// A regular or missing file is replaced as a whole: concurrent readers, and anyone after a full
// disk or a crash, see the old text or the new one. It keeps its permissions. A pipe and
// standard output (`-`) are written directly. One thread.
class OutputFile {
 public:
  // Errors name `flag`, or the file if it is empty. Opens nothing until the first write().
  OutputFile(std::string flag, std::filesystem::path output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without close() the old file remains

  // All throw ConfigError with the reason, and leave the old file.
  void write(std::string_view text);
  // Syncs the complete text to disk, next to the old file: it can be read back before close().
  const std::filesystem::path& finish();
  // Replaces the target. `on_disk`: durable even after a power cut, which takes time for a large
  // file.
  void close(bool on_disk = true);

 private:
  void open();
  void check(bool done) const;
  [[noreturn]] void cannot_write(const std::string& why) const;

  std::string flag_;
  std::filesystem::path output_;
  std::filesystem::path target_;   // after following links
  std::filesystem::path written_;  // temporary file or the target itself; empty: not yet opened
  Descriptor descriptor_;
};

// Writes the whole file. Does nothing if `output` is empty.
void write_output_file(const std::string& flag, const std::filesystem::path& output,
                       std::string_view text);

// Part of the name of temporary files, which remain next to their target if a program is killed.
// Nothing reads them, and the next writer of the file reuses them.
inline constexpr std::string_view kUnfinishedPart = ".part";

// Checks before any work, which write nothing; any thread. A file is identified by its device and
// inode, so that links and other spellings do not hide it.

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

// True for `-`, and for a name that the system has for this program's standard output, such as
// /dev/stdout.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& file);

// Throws OutputRefused naming the option if an output is an input or another output; is a folder or
// a device other than /dev/null; is a database, a program or among the results of a run; is a link
// to another folder; is not empty and does not begin like a file of this program, unless forced; or
// is not writable. Also if an output folder is a file or contains an input. Ignores empty names.
void check_files(const CommandFiles& files);

// Why nothing is found at `path`: `otherwise`, unless there is something that leads nowhere (a
// link) or that the system refuses to open.
[[nodiscard]] std::string why_absent(const std::filesystem::path& path, std::string otherwise);

// Returns " (did you mean 'configs/quickstart.yaml'?)" with the most similar name in the same
// folder, or in a `configs` folder next to it. Empty if none is similar.
[[nodiscard]] std::string similar_file_hint(const std::filesystem::path& path);

}  // namespace stepbench::os
