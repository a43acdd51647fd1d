// SPDX-License-Identifier: Apache-2.0
// The history on disk: a projection of result files that can be dropped and rebuilt, and the events
// that no result file holds. One object per thread. Throws ConfigError for what the user can mend:
// a newer schema, a file system that cannot hold it, a server that is away.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/alert.h"
#include "harness/track/history.h"

namespace stepbench {

class Database;
struct Results;

struct ImportReport {
  std::size_t runs = 0;
  std::size_t new_launches = 0;
  std::size_t known_launches = 0;  // there already, the same
  std::size_t points = 0;          // new or renewed
  // What was left out, by why: "smoke", "profiled", "wrapped", "arm of ab", "failed", ...
  std::vector<std::pair<std::string, std::size_t>> left_out = {};
  std::vector<std::string> conflicts = {};  // sentences: another content under a known key
  std::vector<std::string> notes = {};
};

// A worker program that was kept for later confirmations.
struct KeptBuild {
  std::string build_id = {};
  std::filesystem::path worker = {};
  std::string stored_utc = {};
};

struct HistoryQuery {
  // Only these; empty: all.
  std::vector<std::string> series = {};       // ids
  std::vector<std::string> experiments = {};  // names
  std::vector<std::string> runs = {};         // series that have a point of one of these runs
  std::string host = {};                      // empty: any; else only points of its runs
  std::size_t last = 0;                       // points of each series, the newest; 0: all
};

class TrackStore {
 public:
  // "sqlite:FILE" or "postgresql://...". Makes the schema, or brings an older one forward. Events
  // go to FILE.events.jsonl too; for a server to `events_file`.
  [[nodiscard]] static TrackStore open(std::string_view url,
                                       const std::filesystem::path& events_file = {});
  TrackStore(TrackStore&&) noexcept;
  TrackStore& operator=(TrackStore&&) noexcept;
  ~TrackStore();

  // All files of one or more runs, read by read_results. Idempotent per launch.
  ImportReport add(const Results& results, const std::filesystem::path& folder);

  [[nodiscard]] History history(const HistoryQuery& query = {});
  [[nodiscard]] std::vector<TrackedRun> runs();  // all, by time

  // In one transaction, with a line in the file of events.
  void record(std::span<const TrackEvent> events);
  [[nodiscard]] std::vector<TrackEvent> events();  // all, in the order in which they were recorded

  void keep_build(const KeptBuild& build);
  void forget_build(const std::string& build_id);
  [[nodiscard]] std::vector<KeptBuild> builds();

  // Whether this process may confirm that case's series of that run now: false while another one,
  // on whatever machine, holds the claim. A claim ends with release(), or after `lasts`.
  [[nodiscard]] bool claim(const std::string& what, const std::string& who,
                           std::chrono::seconds lasts);
  void release(const std::string& what, const std::string& who);

 private:
  explicit TrackStore(std::unique_ptr<Database> database, std::filesystem::path events_file);
  std::unique_ptr<Database> database_;
  std::filesystem::path events_file_;
};

}  // namespace stepbench
