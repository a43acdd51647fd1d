// SPDX-License-Identifier: Apache-2.0
// Rows of one or several files -> Results: a launch line commits its samples, the last committed
// attempt of a key wins.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/record/decode.h"
#include "harness/record/reader.h"

namespace stepbench {

struct FileContent {
  std::filesystem::path file;
  std::vector<std::pair<Row, std::size_t>> rows;  // with their line numbers
  std::vector<std::string> warnings;
};

class Join {
 public:
  void add(FileContent content);  // in the order in which the files were begun
  [[nodiscard]] Results finish();

 private:
  struct Hash {
    std::size_t operator()(const LaunchKey& key) const;
  };
  struct Open {  // begun, not committed yet, in the current file
    std::vector<StartRow> starts;
    std::vector<SamplesRow> samples;
  };

  void take(RunRow&& row);
  void take(ColumnRow&& row);
  void take(WorkerRow&& row);
  void take(StartRow&& row);
  void take(SamplesRow&& row);
  void take(LaunchRow&& row);
  void take(EndRow&& row);
  void take(UnknownRow&&) {}
  void close_file();

  Results results_;
  std::unordered_map<LaunchKey, std::size_t, Hash> committed_;  // index in results_.launches
  std::unordered_map<LaunchKey, Open, Hash> open_;
  std::vector<LaunchKey> open_order_;
  std::map<std::string, std::size_t, std::less<>> column_index_;
  std::string where_;  // of the row under way
};

}  // namespace stepbench
