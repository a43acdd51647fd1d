// SPDX-License-Identifier: Apache-2.0
// The history on disk: a projection of result files that can be dropped and rebuilt, and the
// events, which are in no result file. One object per thread; any number of processes may use the
// same history. Throws ConfigError for what the user can fix: a newer schema, an unsuitable file
// system, an unreachable server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/event.h"
#include "harness/nights/internal/import.h"
#include "harness/nights/internal/night_rows.h"

namespace stepbench::nights {

class Database;

inline constexpr std::string_view kDefaultHistory = "sqlite:results/history.db";
inline constexpr std::string_view kDefaultEvents = "results/history.events.jsonl";

// A worker program kept for later confirmations.
struct StoredBuild {
  std::string build_id = {};
  std::string host = {};  // the host whose disk it is on
  std::filesystem::path worker = {};
  std::string stored_utc = {};
};

enum class WhichEvents : std::uint8_t {
  kAll,
  kStatements,  // without nights' measurements: alerts and user actions
};

struct StoreOptions {
  // For a history on a server: its event file. For a history in FILE it is FILE.events.jsonl.
  std::filesystem::path events_file = {};
  bool make = true;  // create if missing; false: ConfigError instead
};

// URL of a history given as a URL or as a file.
[[nodiscard]] std::string history_url(const std::string& source);
// Files of a history: SQLite's, and the event file; for a server only the latter.
[[nodiscard]] std::vector<std::filesystem::path> history_files(std::string_view url);

class TrackStore {
 public:
  // `url`: "sqlite:FILE" or "postgresql://...". Creates the schema or upgrades an older one, and
  // adds events from the event file that are missing in the database.
  [[nodiscard]] static TrackStore open(std::string_view url, const StoreOptions& options = {});
  TrackStore(TrackStore&&) noexcept;
  TrackStore& operator=(TrackStore&&) noexcept;
  ~TrackStore();

  // Adds all files of one or more runs, read by read_results(). One transaction per run, idempotent
  // per launch: an existing launch is kept, different content under the same key is a conflict, and
  // a later attempt replaces an earlier one. Points are computed from all launches in the history.
  ImportReport add(const record::Results& results, const std::filesystem::path& folder,
                   const ImportOptions& options = {});
  // The same for the result of import_of(), several runs per transaction.
  ImportReport add(const Import& import);

  [[nodiscard]] History history(const HistoryQuery& query = {});
  // load_each_series() on a consistent snapshot. Throws ConnectionLost if the server goes away.
  History each_series(
      const std::function<void(const History& newest, const SeriesHistory& one)>& visit);
  [[nodiscard]] std::vector<TrackedRun> runs();                 // all, sorted by time
  [[nodiscard]] std::map<std::string, SeriesExtent> extents();  // by series id

  // Records events and rows in one transaction; the event file's lines are on disk when this
  // returns. Immediately moves points of cases that the events merge.
  void record(std::span<const TrackEvent> events, const NightRows& rows = {});
  // In the order of recording. Series of merged cases have their current ids.
  [[nodiscard]] std::vector<TrackEvent> events(WhichEvents kind = WhichEvents::kAll);
  // Measurements of the newest nights of an experiment, newest first; at most `last`.
  [[nodiscard]] std::vector<TrackEvent> measured_nights(const std::string& host,
                                                        const std::string& experiment,
                                                        std::size_t last);

  [[nodiscard]] std::vector<StateRow> states(const std::string& host,
                                             const std::string& experiment);
  // Results of a series, in runs of that host; results of a run.
  [[nodiscard]] std::vector<JudgedRow> judged_series(const std::string& series,
                                                     const std::string& host);
  [[nodiscard]] std::vector<JudgedRow> judged_run(const std::string& run);

  void store_build(const StoredBuild& build);
  void forget_build(const std::string& build_id, const std::string& host);
  [[nodiscard]] std::vector<StoredBuild> builds();  // sorted by stored_utc, build id, host

  // Location for display: without the password.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const std::filesystem::path& events_file() const { return events_file_; }

 private:
  TrackStore(std::unique_ptr<Database> database, std::filesystem::path events_file);
  void replay_events();
  void rename_merged(std::vector<TrackEvent>& events);

  std::unique_ptr<Database> database_;
  std::filesystem::path events_file_;
  KnownEvents known_events_ = {};  // read into the database already
};

}  // namespace stepbench::nights
