// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/track_store.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>
#include <tuple>

#include "harness/base/format.h"
#include "harness/nights/internal/database.h"
#include "harness/nights/internal/load_history.h"
#include "harness/nights/internal/night_rows.h"
#include "harness/nights/internal/schema.h"
#include "harness/nights/internal/store_run.h"
#include "harness/nights/merged_cases.h"
#include "harness/os/files.h"

namespace stepbench::nights {
namespace {

namespace fs = std::filesystem;

// Runs per transaction of an import: a disk commits one as slowly as a thousand.
constexpr std::size_t kRunsTogether = 256;
constexpr std::int64_t kLongFile = 1 << 20;  // in bytes; longer files are not read twice

// TrackEvent::what of the large events with nights' measurements: current and older name.
const std::string kMeasuredEvents = "('pairs', 'reference')";

fs::path events_file_of(std::string_view url, const fs::path& given) {
  if (!given.empty()) return given;
  if (const auto file = nights::sqlite_file(url)) return file->string() + ".events.jsonl";
  return kDefaultEvents;
}

void refuse_missing(std::string_view url) {
  const auto file = nights::sqlite_file(url);
  std::error_code error;
  if (!file || fs::exists(*file, error)) return;
  throw ConfigError(
      file->string(),
      os::why_absent(*file,
                     "there is no history yet: `stepbench track add results/RUN` makes one"));
}

// Retries once if the connection to the server was lost.
template <typename Work>
auto with_retry(Database& database, const Work& work) {
  try {
    return work();
  } catch (const ConnectionLost&) {
    database.reconnect();
    return work();
  }
}

void insert_events(Database& database, std::span<const RecordedEvent> events) {
  static const SqlInsert kEvents{"event",
                                 {"event_id", "seq", "at", "who", "what", "alert_id", "from_state",
                                  "to_state", "reason", "details"},
                                 "ON CONFLICT DO NOTHING"};
  std::vector<SqlValue> rows;
  for (const RecordedEvent& each : events) {
    const TrackEvent& event = each.event;
    const std::vector<SqlValue> row = {
        event_id(each), each.seq,         event.at_utc,   event.who,    event.what,
        event.alert_id, event.from_state, event.to_state, event.reason, fields_json(event.details)};
    rows.insert(rows.end(), row.begin(), row.end());
  }
  database.insert(kEvents, rows);
  for (const RecordedEvent& each : events) {
    if (each.event.what == kMergedEvent) move_points(database, merged_case(each.event));
  }
}

std::vector<TrackEvent> load_events(Database& database, const std::string& which = "",
                                    const std::string& order = "ORDER BY seq, event_id",
                                    SqlRow args = {}) {
  std::vector<TrackEvent> events;
  database.exec(
      formatted(
          "SELECT at, who, what, alert_id, from_state, to_state, reason, details FROM event {} {}",
          which, order),
      args, [&](SqlRow row) {
        const auto text = [&](std::size_t column) { return std::get<std::string>(row[column]); };
        events.push_back({.at_utc = text(0),
                          .who = text(1),
                          .what = text(2),
                          .alert_id = text(3),
                          .from_state = text(4),
                          .to_state = text(5),
                          .reason = text(6),
                          .details = fields_from_json(text(7))});
      });
  return events;
}

MergedCases load_merged(Database& database) {
  return MergedCases(load_events(database, formatted("WHERE what = '{}'", kMergedEvent)));
}

// Ids of series whose points moved to another series.
std::map<std::string, std::string> moved_series_ids(Database& database, const MergedCases& merged) {
  std::map<std::string, std::string> moved;
  database.exec(
      "SELECT series_id, workload, case_id, metric, machine FROM series", {}, [&](SqlRow row) {
        const auto text = [&](std::size_t column) { return std::get<std::string>(row[column]); };
        if (!merged.contains(text(2))) return;
        moved.emplace(text(0), merged
                                   .standing({.workload = text(1),
                                              .case_id = text(2),
                                              .metric = text(3),
                                              .machine = fields_from_json(text(4))})
                                   .id);
      });
  return moved;
}

// Ids are digests, so one cannot occur inside another word.
void rename_series(TrackEvent& event, const std::map<std::string, std::string>& moved) {
  for (const char* name : {"series", "ratios", "pairs"}) {
    const auto found = event.details.find(name);
    if (found == event.details.end()) continue;
    std::string text = to_text(found->second);
    const std::string before = text;
    for (const auto& [from, into] : moved) {
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), into);
      }
    }
    if (text != before) event.details[name] = text;
  }
}

bool is_known(Database& database, const RecordedEvent& event) {
  bool known = false;
  const std::vector<SqlValue> id = {event_id(event)};
  database.exec("SELECT 1 FROM event WHERE event_id = $1", id, [&](SqlRow) { known = true; });
  return known;
}

// Key of the position up to which the database has read an event file.
SqlValue key_of(const fs::path& events_file) {
  return "events " + fs::absolute(events_file).lexically_normal().string();
}
KnownEvents load_known(Database& database, const fs::path& events_file) {
  KnownEvents known;
  const SqlValue key = key_of(events_file);
  database.exec("SELECT value FROM meta WHERE key = $1", {&key, 1}, [&](SqlRow row) {
    std::istringstream(std::get<std::string>(row[0])) >> known.bytes >> known.tail;
  });
  return known;
}
void store_known(Database& database, const fs::path& events_file, const KnownEvents& known) {
  const std::vector<SqlValue> row = {key_of(events_file),
                                     formatted("{} {}", known.bytes, known.tail)};
  database.exec(
      "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = "
      "excluded.value",
      row);
}

std::int64_t last_seq(Database& database) {
  std::int64_t last = 0;
  database.exec("SELECT MAX(seq) FROM event", {}, [&](SqlRow row) {
    if (const auto* value = std::get_if<std::int64_t>(&row[0])) last = *value;
  });
  return last;
}

std::vector<RecordedEvent> in_order(std::span<const TrackEvent> events, std::int64_t last) {
  std::vector<RecordedEvent> recorded;
  for (const TrackEvent& event : events) recorded.push_back({++last, event});
  return recorded;
}

}  // namespace

std::string history_url(const std::string& source) {
  const bool is_url = source.find(':') != std::string::npos && !fs::exists(source);
  return is_url ? source : "sqlite:" + source;
}

std::vector<fs::path> history_files(std::string_view url) {
  std::vector<fs::path> files = {events_file_of(url, {})};
  const auto database = nights::sqlite_file(url);
  if (!database) return files;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    files.emplace_back(database->string() + ending);
  }
  return files;
}

TrackStore::TrackStore(std::unique_ptr<Database> database, fs::path events_file)
    : database_(std::move(database)), events_file_(std::move(events_file)) {
  nights::migrate(*database_, track_schema());
  replay_events();
}

TrackStore::TrackStore(TrackStore&&) noexcept = default;
TrackStore& TrackStore::operator=(TrackStore&&) noexcept = default;
TrackStore::~TrackStore() = default;

TrackStore TrackStore::open(std::string_view url, const StoreOptions& options) {
  if (!options.make) refuse_missing(url);
  fs::path events = events_file_of(url, options.events_file);
  return {Database::open(url), std::move(events)};
}

std::string TrackStore::name() const { return database_->name(); }

ImportReport TrackStore::add(const record::Results& results, const fs::path& folder,
                             const ImportOptions& options) {
  return add(import_of(results, folder, options));
}

ImportReport TrackStore::add(const Import& import) {
  ImportReport report{.exclusions = import.exclusions, .notes = import.notes};
  KnownSeries committed;
  for (std::size_t from = 0; from < import.runs.size(); from += kRunsTogether) {
    const std::size_t count = std::min(kRunsTogether, import.runs.size() - from);
    report += with_retry(*database_, [&] {
      Transaction transaction(*database_);
      ImportReport done;
      const MergedCases merged = load_merged(*database_);
      KnownSeries known = committed;
      for (const ImportedRun& run : std::span(import.runs).subspan(from, count))
        done += store_run(*database_, run, import.cohorts, merged, known);
      if (!done.runs.empty()) {
        transaction.commit();
        committed = std::move(known);
      }
      return done;
    });
  }
  return report;
}

History TrackStore::history(const HistoryQuery& query) {
  return with_retry(*database_, [&] {
    Transaction transaction(*database_, Transaction::Kind::kRead);
    History history = load_history(*database_, query);
    transaction.commit();
    return history;
  });
}

History TrackStore::each_series(const VisitSeries& visit) {
  Transaction transaction(*database_, Transaction::Kind::kRead);
  History newest = load_each_series(*database_, visit);
  transaction.commit();
  return newest;
}

std::vector<TrackedRun> TrackStore::runs() {
  return with_retry(*database_, [&] { return load_runs(*database_); });
}

std::map<std::string, SeriesExtent> TrackStore::extents() {
  return with_retry(*database_, [&] { return load_extents(*database_); });
}

void TrackStore::replay_events() {
  known_events_ = load_known(*database_, events_file_);
  const std::int64_t before = known_events_.bytes;
  const std::vector<RecordedEvent> written = read_events(events_file_, known_events_);
  if (written.empty()) return;
  // By content: an event whose number another host took is in the file under both numbers.
  std::set<std::string> known;
  for (const TrackEvent& event : load_events(*database_)) known.insert(event_id({0, event}));
  std::vector<RecordedEvent> missing;
  for (const RecordedEvent& each : written) {
    if (!known.contains(event_id({0, each.event}))) missing.push_back(each);
  }
  // Avoid a write for a reader of a short file.
  if (missing.empty() && known_events_.bytes - before < kLongFile) return;
  Transaction transaction(*database_);
  insert_events(*database_, missing);
  store_known(*database_, events_file_, known_events_);
  transaction.commit();
}

void TrackStore::record(std::span<const TrackEvent> events, const NightRows& rows) {
  if (events.empty() && rows.states.empty() && rows.judged.empty()) return;
  std::vector<RecordedEvent> recorded;
  with_retry(*database_, [&] {
    Transaction transaction(*database_);
    database_->lock_schema();
    // The first try may have committed, or another host may have taken its numbers since.
    if (!recorded.empty() && is_known(*database_, recorded.front())) return;
    const std::int64_t last = last_seq(*database_);
    const bool needs_numbers = recorded.empty() || recorded.front().seq <= last;
    if (needs_numbers) recorded = in_order(events, last);
    insert_events(*database_, recorded);
    insert_night_rows(*database_, rows);
    // Before the commit: events that are in the file but not in the database are added by the next
    // open().
    if (needs_numbers) known_events_ = append_events(events_file_, recorded, known_events_);
    store_known(*database_, events_file_, known_events_);
    transaction.commit();
  });
}

std::vector<TrackEvent> TrackStore::events(WhichEvents kind) {
  return with_retry(*database_, [&] {
    std::vector<TrackEvent> events = load_events(
        *database_,
        kind == WhichEvents::kAll ? "" : "WHERE alert_id <> '' OR what NOT IN " + kMeasuredEvents);
    rename_merged(events);
    return events;
  });
}

void TrackStore::rename_merged(std::vector<TrackEvent>& events) {
  const MergedCases merged = load_merged(*database_);
  if (merged.empty()) return;
  const std::map<std::string, std::string> moved = moved_series_ids(*database_, merged);
  for (TrackEvent& event : events) rename_series(event, moved);
}

std::vector<TrackEvent> TrackStore::measured_nights(const std::string& host,
                                                    const std::string& experiment,
                                                    std::size_t last) {
  const std::vector<SqlValue> of = {host, experiment};
  return with_retry(*database_, [&] {
    std::vector<TrackEvent> events =
        load_events(*database_,
                    formatted("WHERE what IN {} AND alert_id = '' AND {} = $1 AND {} = $2",
                              kMeasuredEvents, database_->json_member("details", "host"),
                              database_->json_member("details", "experiment")),
                    formatted("ORDER BY seq DESC, event_id DESC LIMIT {}", last), of);
    rename_merged(events);
    return events;
  });
}

std::vector<StateRow> TrackStore::states(const std::string& host, const std::string& experiment) {
  return with_retry(*database_, [&] { return load_states(*database_, host, experiment); });
}

std::vector<JudgedRow> TrackStore::judged_series(const std::string& series,
                                                 const std::string& host) {
  return with_retry(*database_, [&] { return load_judged_series(*database_, series, host); });
}

std::vector<JudgedRow> TrackStore::judged_run(const std::string& run) {
  return with_retry(*database_, [&] { return load_judged_run(*database_, run); });
}

void TrackStore::store_build(const StoredBuild& build) {
  const std::vector<SqlValue> row = {build.build_id, build.host, build.worker.string(),
                                     build.stored_utc};
  with_retry(*database_, [&] {
    Transaction transaction(*database_);
    database_->exec(
        "INSERT INTO build (build_id, host, path, stored) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (build_id, host) DO UPDATE SET path = excluded.path, stored = excluded.stored",
        row);
    transaction.commit();
  });
}

void TrackStore::forget_build(const std::string& build_id, const std::string& host) {
  const std::vector<SqlValue> key = {build_id, host};
  with_retry(*database_, [&] {
    Transaction transaction(*database_);
    database_->exec("DELETE FROM build WHERE build_id = $1 AND host = $2", key);
    transaction.commit();
  });
}

std::vector<StoredBuild> TrackStore::builds() {
  return with_retry(*database_, [&] {
    std::vector<StoredBuild> builds;
    database_->exec("SELECT build_id, host, path, stored FROM build", {}, [&](SqlRow row) {
      builds.push_back({.build_id = std::get<std::string>(row[0]),
                        .host = std::get<std::string>(row[1]),
                        .worker = std::get<std::string>(row[2]),
                        .stored_utc = std::get<std::string>(row[3])});
    });
    std::sort(builds.begin(), builds.end(), [](const StoredBuild& a, const StoredBuild& b) {
      return std::tie(a.stored_utc, a.build_id, a.host) <
             std::tie(b.stored_utc, b.build_id, b.host);
    });
    return builds;
  });
}

}  // namespace stepbench::nights
