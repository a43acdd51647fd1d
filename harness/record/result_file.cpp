// SPDX-License-Identifier: Apache-2.0
#include "harness/record/result_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/json/fields.h"
#include "harness/os/files.h"
#include "harness/record/input.h"
#include "harness/record/internal/line_codec.h"
#include "harness/text/numbers.h"

namespace stepbench::record {
namespace {

// True for a prefix of our first line, which a program killed while writing it leaves behind.
bool begins_like_ours(std::string_view text) {
  constexpr std::string_view kFirst = R"({"kind":"run","schema":"stepbench.result",)";
  return text.starts_with(kFirst.substr(0, std::min(kFirst.size(), text.size())));
}

class FileReader {
 public:
  FileReader(std::filesystem::path file, LineDecoder& decoder, Join& join)
      : file_(std::move(file)),
        decoder_(decoder),
        join_(join),
        being_written_(std::filesystem::is_regular_file(file_) && is_being_written(file_)),
        input_(Input::read(file_)) {}

  // Start time of this file's run; empty if its first line does not have it.
  [[nodiscard]] std::string started() {
    const std::string_view text = input_.text();
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.size() > kMaxResultLineBytes || !decoder_.is_json(line)) return {};
    try {
      const Row row = decoder_.decode(line);
      const auto* run = std::get_if<RunRow>(&row);
      return run == nullptr ? std::string() : run->started_utc;
    } catch (const json::LineError&) {
      return {};  // read() reports the error
    }
  }

  void read() {
    std::string_view rest = input_.text();
    if (rest.empty()) warn("is empty");
    while (!rest.empty()) {
      ++line_number_;
      const std::size_t newline = rest.find('\n');
      const bool terminated = newline != std::string_view::npos;
      const std::string_view line = rest.substr(0, newline);
      rest.remove_prefix(terminated ? newline + 1 : rest.size());
      if (!terminated && is_cut(line)) break;
      take(line);
      input_.forget(input_.text().size() - rest.size());
    }
    join_.end_of_file(being_written_);
  }

 private:
  // Handles a last line without a line end: used if complete, else dropped.
  bool is_cut(std::string_view line) {
    require_length(line);
    if (decoder_.is_json(line)) return false;
    if (line_number_ == 1 && !begins_like_ours(line)) return false;
    warn(formatted("line {} is cut short ({} bytes) and was dropped; the lines before it were used",
                   line_number_, line.size()));
    return true;
  }

  void require_length(std::string_view line) const {
    if (line.size() > kMaxResultLineBytes) {
      fail(formatted("this line is longer than {}; no result file has one",
                     text::byte_text(static_cast<double>(kMaxResultLineBytes))));
    }
  }

  void take(std::string_view line) {
    require_length(line);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    Row row = decode(line);
    if (!saw_run_ && !std::holds_alternative<RunRow>(row))
      fail("not a stepbench result file: its first line must be of kind 'run'");
    if (auto* run = std::get_if<RunRow>(&row)) see_run(*run);
    if (const auto* columns = std::get_if<ColumnRow>(&row)) {
      for (const std::string& text : columns->skipped_columns) warn_once(text);
    }
    if (const auto* unknown = std::get_if<UnknownRow>(&row)) warn_once(unknown->what);
    join_.add(std::move(row), [this] { return where(); });
  }

  Row decode(std::string_view line) {
    try {
      return decoder_.decode(line, later_);
    } catch (const json::LineError& error) {
      if (saw_run_ || line_number_ > 1) fail(error.what());
      fail(std::string("not a stepbench result file, or its first line is damaged: ") +
           error.what());
    }
  }

  void see_run(const RunRow& run) {
    saw_run_ = true;
    const std::string newer = json::newer_version_text(run.schema_minor, kResultVersion);
    later_ = !newer.empty();
    if (later_) warn(newer);
  }

  [[noreturn]] void fail(const std::string& what) const { throw ConfigError(where(), what); }
  [[nodiscard]] std::string where() const {
    return formatted("{}:{}", file_.string(), line_number_);
  }
  void warn(const std::string& what) { join_.warn(file_.string() + ": " + what); }
  void warn_once(const std::string& what) {
    if (warned_.insert(what).second) warn(what);
  }

  std::filesystem::path file_;
  LineDecoder& decoder_;
  Join& join_;
  bool being_written_;  // checked before reading, so that missing lines are known to be unwritten
  Input input_;
  std::size_t line_number_ = 0;
  bool saw_run_ = false;
  bool later_ = false;  // written by a later minor version
  std::set<std::string> warned_;
};

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw ConfigError(path.string(), os::why_absent(path, "no such file or directory" +
                                                              os::similar_file_hint(path)));
  }
  if (!std::filesystem::is_directory(status)) return {path};
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.is_regular_file() && is_result_file(entry.path())) files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& failure) {
    throw ConfigError(path.string(), "cannot read: " + failure.code().message());
  }
  if (files.empty()) {
    throw ConfigError(path.string(),
                      "no results in it: expected files that end in .jsonl or .jsonl.gz");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Results read_results(std::span<const std::filesystem::path> paths) {
  LineDecoder decoder;
  Join join;
  std::vector<std::pair<std::string, std::unique_ptr<FileReader>>> readers;
  for (const std::filesystem::path& path : paths) {
    for (const std::filesystem::path& file : files_of(path)) {
      auto reader = std::make_unique<FileReader>(file, decoder, join);
      std::string started = reader->started();
      readers.emplace_back(std::move(started), std::move(reader));
    }
  }
  // A resumed run continues in a new file: joins files in the order of their start.
  std::stable_sort(readers.begin(), readers.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [started, reader] : readers) {
    reader->read();
    reader.reset();
  }
  return join.finish();
}

Results read_results(const std::filesystem::path& path) { return read_results({&path, 1}); }

namespace {

// First and last value of the `index` column, if present.
std::optional<std::pair<std::int64_t, std::int64_t>> index_range(const CycleSamples& samples) {
  const std::vector<std::int64_t>* index = samples.steps.find("index");
  if (index == nullptr || index->empty()) return std::nullopt;
  return std::pair(index->front(), index->back());
}

constexpr int kFirstMinorWithPhases = 4;

std::shared_ptr<const DeclaredPhases> phases_in(const std::vector<Metric>& columns) {
  auto phases = std::make_shared<DeclaredPhases>();
  for (const Metric& column : columns) phases->emplace(column.name, column.phase);
  return phases;
}

bool overlap(const CycleSamples& a, const CycleSamples& b) {
  if (a.cycle != b.cycle) return false;
  const auto first = index_range(a);
  const auto second = index_range(b);
  return first && second && first->first <= second->second && second->first <= first->second;
}

// Notes of launches before 1.9 that flags replaced: beginning of the sentence, flag; empty: the
// row's options have the information.
constexpr std::pair<std::string_view, std::string_view> kOld[] = {
    {"the machine was busy: ", launch_flag::kWaitedForCpu},
    {"more threads than CPUs: ", launch_flag::kWaitedForCpu},
    {"the hypervisor took more than ", launch_flag::kSteal},
    {"the control group's CPU quota stopped ", launch_flag::kCpuQuota},
    {"the GPU was slowed down: ", launch_flag::kThrottled},
    {"the GPU was lost while this launch ran", launch_flag::kGpuLost},
    {"the GPU had ", launch_flag::kGpuMemoryErrors},
    {"warm-up too short, at least ", launch_flag::kWarmupTooShort},
    {"drifting: steps became ", launch_flag::kDrifting},
    {"the first measured step alone is slow", launch_flag::kFirstStepSlow},
    {"the workers of a loader deliver in turns", ""},
};

// Replaces old notes by flags.
void take_codes(LaunchReport& report) {
  std::erase_if(report.notes, [&](const std::string& note) {
    const auto* const old =
        std::ranges::find_if(kOld, [&](const auto& each) { return note.starts_with(each.first); });
    if (old == std::end(kOld)) return false;
    const bool known =
        old->second.empty() || std::ranges::find(report.flags, old->second) != report.flags.end();
    if (!known) report.flags.emplace_back(old->second);
    return true;
  });
}

// Names would be most of a launch's memory.
void share_names(LaunchRow& row, NamePool& names) {
  row.machine.share_names(names);
  row.report.metrics.share_names(names);
  for (Fields* fields : {&row.report.effective, &row.report.schedule, &row.report.fingerprint}) {
    fields->share_names(names);
  }
}

}  // namespace

std::size_t Join::Hash::operator()(const LaunchKey& key) const {
  const std::size_t text =
      std::hash<std::string>{}(key.case_id) ^ (std::hash<std::string>{}(key.arm) << 1U);
  const auto numbers = (static_cast<std::size_t>(key.launch) << 12U) ^
                       (static_cast<std::size_t>(key.rank) << 3U) ^
                       static_cast<std::size_t>(key.pass);
  return text ^ (numbers * 0x9E3779B97F4A7C15ULL);
}

void Join::add(Row row, const std::function<std::string()>& where) {
  where_ = &where;
  std::visit([this](auto&& each) { take(std::move(each)); }, std::move(row));
}

std::string Join::run_id() const {
  return results_.runs.empty() ? std::string() : results_.runs.back().run_id;
}

void Join::take(RunRow&& row) {
  schema_minor_ = row.schema_minor;
  phases_.reset();
  results_.runs.push_back(std::move(row));
}

void Join::take(ColumnRow&& row) {
  if (schema_minor_ >= kFirstMinorWithPhases) phases_ = phases_in(row.columns);
  for (Metric& metric : row.columns) {
    const auto [at, is_new] = column_index_.try_emplace(metric.name, results_.columns.size());
    if (is_new) {
      results_.columns.push_back(std::move(metric));
    } else if (results_.columns[at->second].unit != metric.unit) {
      throw ConfigError((*where_)(),
                        formatted("column '{}' has the unit '{}', and '{}' before", metric.name,
                                  metric.unit, results_.columns[at->second].unit));
    }
  }
}

void Join::take(WorkerRow&& row) {
  if (worker_ids_.insert(row.worker_id).second) results_.workers.push_back(std::move(row));
}

void Join::take(StartRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  unreadable_launches_.erase({run_id(), row.key});
  row.run = results_.runs.empty() ? 0 : results_.runs.size() - 1;
  at->second.samples.clear();  // discards the results of the previous attempt
  at->second.ops.clear();
  at->second.starts.push_back(std::move(row));
}

void Join::take(SamplesRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  std::vector<CycleSamples>& samples = at->second.samples;
  const auto repeated = [&](const CycleSamples& other) { return overlap(other, row.samples); };
  if (std::any_of(samples.rbegin(), samples.rend(), repeated)) {
    results_.warnings.push_back((*where_)() +
                                ": samples that this launch already has were dropped");
    return;
  }
  samples.push_back(std::move(row.samples));
}

void Join::take(OpsRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  at->second.ops.push_back(std::move(row.frame));
}

void Join::take(LaunchRow&& row) {
  Launch launch;
  if (const auto open = open_.find(row.key); open != open_.end()) {
    launch.samples = std::move(open->second.samples);
    launch.ops = std::move(open->second.ops);
    open_.erase(open);
  }
  if (unreadable_launches_.contains({run_id(), row.key})) return;
  std::stable_sort(launch.samples.begin(), launch.samples.end(),
                   [](const CycleSamples& a, const CycleSamples& b) {
                     if (a.cycle != b.cycle) return a.cycle < b.cycle;
                     return index_range(a).value_or(std::pair(0, 0)).first <
                            index_range(b).value_or(std::pair(0, 0)).first;
                   });
  launch.row = std::move(row);
  take_codes(launch.row.report);
  share_names(launch.row, names_);
  launch.schema_minor = schema_minor_;
  launch.phases = phases_;
  launch.run = results_.runs.empty() ? 0 : results_.runs.size() - 1;
  launch.place = launch_lines_++;
  const auto [at, is_new] =
      committed_[run_id()].try_emplace(launch.row.key, results_.launches.size());
  if (is_new) {
    results_.launches.push_back(std::move(launch));
    return;
  }
  Launch& before = results_.launches[at->second];
  if (launch.row.attempt < before.row.attempt) return;
  if (launch.row.attempt == before.row.attempt && launch.samples.empty() && launch.ops.empty()) {
    // The launch line is repeated: what it commits preceded the first one.
    launch.samples = std::move(before.samples);
    launch.ops = std::move(before.ops);
  }
  before = std::move(launch);
}

void Join::take(UnknownRow&& row) {
  if (!row.launch) return;
  open_.erase(*row.launch);
  unreadable_launches_.emplace(run_id(), std::move(*row.launch));
}

void Join::take(EndRow&& row) { results_.end = std::move(row); }

void Join::end_of_file(bool being_written) {
  results_.running = results_.running || being_written;
  for (const LaunchKey& key : open_order_) {
    const auto open = open_.find(key);
    if (open == open_.end()) continue;
    for (StartRow& start : open->second.starts) {
      start.running = being_written && &start == &open->second.starts.back();
      results_.unfinished.push_back(std::move(start));
    }
    open_.erase(open);
  }
  open_order_.clear();
}

Results Join::finish() {
  const auto id = [&](std::size_t run) {
    return results_.runs.empty() ? std::string() : results_.runs[run].run_id;
  };
  std::erase_if(results_.unfinished, [&](const StartRow& start) {
    return committed_[id(start.run)].contains(start.key);
  });
  std::erase_if(results_.launches, [&](const Launch& launch) {
    return unreadable_launches_.contains({id(launch.run), launch.row.key});
  });
  return std::move(results_);
}

std::uintmax_t read_launch_rows(const std::filesystem::path& file,
                                const std::function<bool(std::string_view case_id)>& wanted,
                                const std::function<void(const LaunchRow& row)>& take) {
  constexpr std::string_view kBegin =
      R"({"kind":"launch","case_id":")";  // format of line_codec.cpp
  constexpr bool kLater = true;
  const Input input = Input::read(file);
  LineDecoder decoder;
  std::string_view rest = input.text();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.starts_with(kBegin)) continue;
    const std::string_view behind = line.substr(kBegin.size());
    if (!wanted(behind.substr(0, behind.find('"'))) || !decoder.is_json(line)) continue;
    try {
      const Row row = decoder.decode(line, kLater);
      if (const auto* launch = std::get_if<LaunchRow>(&row)) take(*launch);
    } catch (const json::LineError&) {
      continue;
    }
  }
  return input.text().size();
}

bool is_result_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.ends_with(".jsonl") && !name.ends_with(".jsonl.gz")) return false;
  return name.find(kEventsEnding) == std::string::npos && !name.starts_with(kUnfinishedNight);
}

namespace {

// The result files of a run's folder, or the given file. Empty if it cannot be read.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& run) {
  std::error_code none;
  if (std::filesystem::is_regular_file(run, none)) return {run};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(run, none)) {
    if (is_result_file(entry.path()) && entry.is_regular_file(none)) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

std::int64_t count_launches(const std::filesystem::path& path) {
  std::int64_t lines = 0;
  const auto count = [&](std::string_view) { return ++lines, false; };
  for (const std::filesystem::path& file : files_of_run(path)) read_launch_rows(file, count, {});
  return lines;
}

std::map<std::string, OptionValues, std::less<>> options_of_cases(const std::filesystem::path& run,
                                                                  std::uintmax_t max_file_bytes) {
  std::map<std::string, OptionValues, std::less<>> cases;
  const auto is_new = [&](std::string_view case_id) { return !cases.contains(case_id); };
  const auto take = [&](const LaunchRow& row) { cases.emplace(row.key.case_id, row.options); };
  for (const std::filesystem::path& file : files_of_run(run)) {
    std::error_code none;
    if (std::filesystem::file_size(file, none) > max_file_bytes) continue;
    try {
      read_launch_rows(file, is_new, take);
    } catch (const Error&) {
      continue;
    }
  }
  return cases;
}

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& doing, int error) {
  throw Error(
      formatted("{}: cannot {}: {}", file.string(), doing, std::generic_category().message(error)));
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Returns 0 or errno. Continues after short writes.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

ResultWriter::ResultWriter(const std::filesystem::path& file) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(file_, "create the result file", errno);
  struct flock lock = whole_file(F_WRLCK);
  (void)::fcntl(descriptor_, F_OFD_SETLK, &lock);  // only signals to readers that the run is alive
}

bool is_being_written(const std::filesystem::path& file_or_folder) {
  std::error_code error;
  if (std::filesystem::is_directory(file_or_folder, error)) {
    for (std::filesystem::directory_iterator at{file_or_folder, error}, end; !error && at != end;
         at.increment(error)) {
      std::error_code unknown;
      if (at->is_regular_file(unknown) && is_being_written(at->path())) return true;
    }
    return false;
  }
  const int file = ::open(file_or_folder.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct flock lock = whole_file(F_RDLCK);
  const bool is_locked = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(file);
  return is_locked;
}

ResultWriter::~ResultWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultWriter::append(std::string line, Sync sync) {
  line += '\n';
  if (const int error = write_all(descriptor_, line); error != 0) {
    // Removes the partial line if the file system allows it: finished lines stay whole.
    (void)!::ftruncate(descriptor_, static_cast<off_t>(bytes_));
    fail(file_, "write a result line", error);
  }
  bytes_ += line.size();
  if (sync == Sync::kNo) return;
  while (::fdatasync(descriptor_) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == EROFS) return;  // not a storage file system
    fail(file_, "bring a result line to disk", errno);
  }
}

void ResultWriter::write(const RunRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const ColumnRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const WorkerRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const StartRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const SamplesRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const OpsRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const LaunchRow& row) { append(encode(row), Sync::kYes); }
void ResultWriter::write(const EndRow& row) { append(encode(row), Sync::kYes); }

}  // namespace stepbench::record
