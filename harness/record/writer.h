// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/record/rows.h"

namespace stepbench {

// Appends lines to one new result file. Each line is written whole with one write() and is on its way to disk when the
// call returns. Throws Error naming the file and the reason (disk full). One thread.
class ResultWriter {
 public:
  explicit ResultWriter(const std::filesystem::path& file);  // fails if the file exists
  ResultWriter(const ResultWriter&) = delete;  // one file, one writer
  ResultWriter& operator=(const ResultWriter&) = delete;
  ~ResultWriter();

  void write(const RunRow& row);
  void write(const ColumnRow& row);
  void write(const WorkerRow& row);
  void write(const StartRow& row);
  void write(const SamplesRow& row);
  void write(const LaunchRow& row);
  void write(const EndRow& row);
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  void append(std::string line);
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace stepbench
