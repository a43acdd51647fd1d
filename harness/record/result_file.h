// SPDX-License-Identifier: Apache-2.0
// Reads and writes result files: this is their only reader and their only writer. Reads files and
// run folders as launches with their samples. Any thread, one call at a time per file. Throws
// ConfigError with file:line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/base/named_values.h"
#include "harness/base/option_values.h"
#include "harness/record/internal/line_codec.h"
#include "harness/record/rows.h"

namespace stepbench::record {

// Column -> true if it is a phase of the step.
using DeclaredPhases = std::map<std::string, bool, std::less<>>;

struct Launch {
  LaunchRow row;
  std::vector<CycleSamples> samples;   // by cycle, then by first step
  std::vector<ops::OpFrame> ops = {};  // operations recorded by a profiled launch
  int schema_minor = kResultMinor;     // schema of its file
  // Declared columns of its file; null: not declared (before 1.4).
  std::shared_ptr<const DeclaredPhases> phases = {};
  std::size_t run = 0;  // index of its file's run in Results::runs
  // Index of its line among all launch lines: the order of execution, independent of clocks.
  std::size_t place = 0;
};

// Contents of a result file or a run's directory.
struct Results {
  std::vector<RunRow> runs;     // one per file
  std::vector<Metric> columns;  // definitions, merged over the files
  std::vector<WorkerRow> workers;
  // The last committed attempt of each key of a run, in order of first appearance. Files with the
  // same run id belong to one run.
  std::vector<Launch> launches;
  std::vector<StartRow> unfinished;   // started, never committed: the process or the run was killed
  std::optional<EndRow> end;          // last file's end
  bool running = false;               // a program is still writing one of the files
  std::vector<std::string> warnings;  // a truncated last line, a newer minor version, ...
};

// Reads a .jsonl or .jsonl.gz file, or all of a directory. Accepts every 1.x. Throws ConfigError
// with file:line for corrupt, foreign and future-major files; drops a truncated last line with a
// warning.
[[nodiscard]] Results read_results(const std::filesystem::path& path);
// Reads several files or directories as one. Files of one run are joined, as for a resumed run;
// launches of different runs are kept separately.
[[nodiscard]] Results read_results(std::span<const std::filesystem::path> paths);

// Joins rows of one or several files to Results: a launch line commits its samples, the last
// committed attempt of a key wins.

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
  NamePool names_;                                       // of what launches report
  int schema_minor_ = kResultMinor;                      // current file
  std::shared_ptr<const DeclaredPhases> phases_;         // current file; null: not declared
  const std::function<std::string()>* where_ = nullptr;  // current row
};

// The launch lines of a result file without their samples, which are most of its bytes, and the
// options of its cases: for callers that only need what a launch was and how long it took. Any
// thread, one call at a time for each file.

// Passes each launch of a `wanted` case to `take`, in file order. Skips unreadable lines. Returns
// the number of bytes searched. Throws ConfigError if the file cannot be read.
std::uintmax_t read_launch_rows(const std::filesystem::path& file,
                                const std::function<bool(std::string_view case_id)>& wanted,
                                const std::function<void(const LaunchRow& row)>& take);

// The launch lines of a result file, or of those in a folder, without reading them. 0 for a pipe,
// which can be read only once. Throws as above.
[[nodiscard]] std::int64_t count_launches(const std::filesystem::path& path);

// Files of JSON lines next to runs that are not results: the events of a history
// (history.db.events.jsonl), and an unfinished night.
inline constexpr std::string_view kEventsEnding = ".events.jsonl";
inline constexpr std::string_view kUnfinishedNight = "unfinished-night-";

// Decides by the name: .jsonl or .jsonl.gz.
[[nodiscard]] bool is_result_file(const std::filesystem::path& path);

// Reads one launch of each case in a run's folder or a result file, by case id; skips samples.
// Empty if it has no readable results: callers have their own error to report. Leaves out files of
// more than `max_file_bytes`.
[[nodiscard]] std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run, std::uintmax_t max_file_bytes = UINTMAX_MAX);

// Writing.

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
