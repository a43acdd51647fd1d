// SPDX-License-Identifier: Apache-2.0
// The only writer of result files: a line is handed to the kernel before the call returns.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/record/rows.h"

namespace stepbench::record {

// Appends lines to one new result file. A line is written by one write() before the call returns,
// so that a killed process loses nothing that was written. `launch` and `end` lines are also synced
// (fdatasync), so that a power cut costs at most the current launch; this happens between launches,
// when nothing is measured. Throws Error with the file and the reason (disk full); a partial line
// is removed. One thread.
class ResultWriter {
 public:
  explicit ResultWriter(const std::filesystem::path& file);  // fails if the file exists
  ResultWriter(const ResultWriter&) = delete;                // one file, one writer
  ResultWriter& operator=(const ResultWriter&) = delete;
  ~ResultWriter();

  void write(const RunRow& row);
  void write(const ColumnRow& row);
  void write(const WorkerRow& row);
  void write(const StartRow& row);
  void write(const SamplesRow& row);
  void write(const OpsRow& row);
  void write(const LaunchRow& row);
  void write(const EndRow& row);
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  enum class Sync : std::uint8_t { kNo, kYes };
  void append(std::string line, Sync sync);
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;  // complete lines only
};

// True if a process is writing this result file, or one in this run's folder: writers hold a lock
// on their file, released with the process. Works across machines if the file system shares locks.
// False if unknown.
[[nodiscard]] bool is_being_written(const std::filesystem::path& file_or_folder);

}  // namespace stepbench::record
