// SPDX-License-Identifier: Apache-2.0
// The history on disk: a projection of result files that can be dropped and rebuilt, and the events
// that no result file holds. One object per thread; any number of processes may use the same
// history. Throws ConfigError for what the user can mend: a newer schema, a file system that cannot
// hold it, a server that is away.
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

#include "harness/track/event.h"
#include "harness/track/event_file.h"
#include "harness/track/history.h"
#include "harness/track/import.h"
#include "harness/track/night_rows.h"

namespace stepbench::store {
class Database;
}  // namespace stepbench::store

namespace stepbench::track {

inline constexpr std::string_view kDefaultHistory = "sqlite:results/history.db";
inline constexpr std::string_view kDefaultEvents = "results/history.events.jsonl";

// A worker program that was kept for later confirmations.
struct KeptBuild {
  std::string build_id = {};
  std::string host = {};  // on whose disk it is
  std::filesystem::path worker = {};
  std::string stored_utc = {};
};

// Which events.
enum class WhichEvents : std::uint8_t {
  kAll,
  kSaid,  // without what nights measured: alerts, and what people say
};

struct StoreOptions {
  // A history on a server has its events here too; one in FILE has them in FILE.events.jsonl.
  std::filesystem::path events_file = {};
  bool make = true;  // false: a ConfigError where there is none yet
};

// The files of a history: its database with what SQLite keeps beside it, and the one of events. Of
// a server only the latter.
[[nodiscard]] std::vector<std::filesystem::path> history_files(std::string_view url);

class TrackStore {
 public:
  // "sqlite:FILE" or "postgresql://...". Makes the schema, or brings an older one forward. Events
  // of the events file that the database does not have are taken in.
  [[nodiscard]] static TrackStore open(std::string_view url, const StoreOptions& options = {});
  TrackStore(TrackStore&&) noexcept;
  TrackStore& operator=(TrackStore&&) noexcept;
  ~TrackStore();

  // All files of one or more runs, read by read_results. A run in one transaction, idempotent per
  // launch: a launch that is there already is left as it is, one with other content under the
  // same key is a conflict, a later attempt takes the place of an earlier one. Points are made of
  // all launches that the history knows.
  ImportReport add(const record::Results& results, const std::filesystem::path& folder,
                   const ImportOptions& options = {});
  // The same of what import_of() gave, some runs in one transaction.
  ImportReport add(const Import& import);

  [[nodiscard]] History history(const HistoryQuery& query = {});
  // load_each_series(): of one moment. Throws ConnectionLost where the server goes away meanwhile.
  History each_series(
      const std::function<void(const History& newest, const SeriesHistory& one)>& visit);
  [[nodiscard]] std::vector<TrackedRun> runs();                 // all, by time
  [[nodiscard]] std::map<std::string, SeriesExtent> extents();  // by series id

  // In one transaction, with lines in the file of events that are on the disk when this returns.
  // The points of cases that they merge go over at once.
  void record(std::span<const TrackEvent> events, const NightRows& rows = {});
  // In the order in which they were recorded. Series of merged cases are called as they are now.
  [[nodiscard]] std::vector<TrackEvent> events(WhichEvents kind = WhichEvents::kAll);
  // What the newest nights of an experiment measured, the newest first; of no more than `last`.
  [[nodiscard]] std::vector<TrackEvent> measured_nights(const std::string& host,
                                                        const std::string& experiment,
                                                        std::size_t last);

  [[nodiscard]] std::vector<StateRow> states(const std::string& host,
                                             const std::string& experiment);
  // Of a series, by runs of that host; of a run.
  [[nodiscard]] std::vector<JudgedRow> judged_series(const std::string& series,
                                                     const std::string& host);
  [[nodiscard]] std::vector<JudgedRow> judged_run(const std::string& run);

  void keep_build(const KeptBuild& build);
  void forget_build(const std::string& build_id, const std::string& host);
  [[nodiscard]] std::vector<KeptBuild> builds();  // by stored_utc, build id, host

  // Where it is, as people may see it: without a password.
  [[nodiscard]] std::string name() const;
  // Of the events that are recorded.
  [[nodiscard]] const std::filesystem::path& events_file() const { return events_file_; }

 private:
  TrackStore(std::unique_ptr<store::Database> database, std::filesystem::path events_file);
  void replay_events();
  void rename_merged(std::vector<TrackEvent>& events);

  std::unique_ptr<store::Database> database_;
  std::filesystem::path events_file_;
  KnownEvents known_events_ = {};  // that the database has
};

}  // namespace stepbench::track
