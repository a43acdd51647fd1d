// SPDX-License-Identifier: Apache-2.0
// Joins rows of one or several files to Results: a launch line commits its samples, the last
// committed attempt of a key wins.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/record/decode.h"
#include "harness/record/reader.h"

namespace stepbench::record {

// Rows must come in file order, files in the order in which they were begun.
class Join {
 public:
  void add(Row row, const std::function<std::string()>& where);  // throws ConfigError at `where`
  void end_of_file(bool being_written = false);
  void warn(std::string text) { results_.warnings.push_back(std::move(text)); }
  [[nodiscard]] Results finish();

 private:
  struct Hash {
    std::size_t operator()(const LaunchKey& key) const;
  };
  using Committed = std::unordered_map<LaunchKey, std::size_t, Hash>;
  struct Open {  // begun but not committed, in the current file
    std::vector<StartRow> starts;
    std::vector<CycleSamples> samples;
    std::vector<ops::OpFrame> ops;
  };

  void take(RunRow&& row);
  void take(ColumnRow&& row);
  void take(WorkerRow&& row);
  void take(StartRow&& row);
  void take(SamplesRow&& row);
  void take(OpsRow&& row);
  void take(LaunchRow&& row);
  void take(EndRow&& row);
  void take(UnknownRow&& row);

  [[nodiscard]] std::string run_id() const;  // current file

  Results results_;
  std::map<std::string, Committed> committed_;  // by run id: index in results_.launches
  std::unordered_map<LaunchKey, Open, Hash> open_;
  std::set<std::pair<std::string, LaunchKey>>
      unreadable_launches_;  // by run id: launches with an unusable line, never committed by a
                             // later one
  std::vector<LaunchKey> open_order_;
  std::map<std::string, std::size_t, std::less<>> column_index_;
  std::unordered_set<std::string> worker_ids_;
  std::size_t launch_lines_ = 0;
  int schema_minor_ = kResultMinor;                      // current file
  std::shared_ptr<const DeclaredPhases> phases_;         // current file; null: not declared
  const std::function<std::string()>* where_ = nullptr;  // current row
};

}  // namespace stepbench::record
