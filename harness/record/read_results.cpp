// SPDX-License-Identifier: Apache-2.0
#include "harness/record/reader.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/near_file.h"
#include "harness/record/decode.h"
#include "harness/record/input.h"
#include "harness/record/join.h"
#include "harness/record/launch_rows.h"
#include "harness/record/writer.h"
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
    warn("line " + std::to_string(line_number_) + " is cut short (" + std::to_string(line.size()) +
         " bytes) and was dropped; the lines before it were used");
    return true;
  }

  void require_length(std::string_view line) const {
    if (line.size() > kMaxResultLineBytes) {
      fail("this line is longer than " + text::byte_text(static_cast<double>(kMaxResultLineBytes)) +
           "; no result file has one");
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
    later_ = run.schema_minor > kResultMinor;
    if (!later_) return;
    warn("was written in the newer schema " + std::to_string(kResultMajor) + '.' +
         std::to_string(run.schema_minor) + "; what this program (" + std::to_string(kResultMajor) +
         '.' + std::to_string(kResultMinor) + ") does not know was ignored");
  }

  [[noreturn]] void fail(const std::string& what) const { throw ConfigError(where(), what); }
  [[nodiscard]] std::string where() const {
    return file_.string() + ':' + std::to_string(line_number_);
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
    throw ConfigError(path.string(), "no such file or directory" + os::similar_file_hint(path));
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

}  // namespace stepbench::record
