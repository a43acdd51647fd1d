// SPDX-License-Identifier: Apache-2.0
// Replaces files atomically; all output files are written through it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/os/descriptor.h"

namespace stepbench::os {

// A regular or missing file is replaced as a whole: concurrent readers, and anyone after a full
// disk or a crash, see the old text or the new one. It keeps its permissions. A pipe is written
// directly. One thread.
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

}  // namespace stepbench::os
