// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"
#include "harness/record/result_file.h"

namespace stepbench::campaign {

namespace fs = std::filesystem;

namespace {

bool has_no_line(const fs::directory_entry& entry) {
  const fs::path name = entry.path().filename();
  if (name == kExperimentCopy || name == kVerdictFile) return true;
  if (!entry.is_regular_file() || !record::is_result_file(entry.path())) return false;
  std::ifstream file{entry.path(), std::ios::binary};
  return file && std::find(std::istreambuf_iterator<char>{file}, {}, '\n') ==
                     std::istreambuf_iterator<char>{};
}

// A run killed between creating its folder and writing its first line has measured nothing.
bool was_cut_before_its_first_line(const fs::path& folder) {
  const fs::directory_iterator entries{folder};
  return std::all_of(begin(entries), end(entries), has_no_line);
}

}  // namespace

fs::path make_run_folder(const fs::path& results, const std::string& run_id) {
  constexpr int kMaxSameSecond = 1000;
  std::error_code error;
  fs::create_directories(results, error);
  for (int number = 1; !error && number < kMaxSameSecond; ++number) {
    const fs::path folder = results / (run_id + (number == 1 ? "" : "-" + std::to_string(number)));
    if (fs::create_directory(folder, error)) return folder;
  }
  throw ConfigError(results.string(),
                    "cannot make a folder for this run" + (error ? ": " + error.message() : ""));
}

std::vector<fs::path> folders_newest_first(const fs::path& results) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(results, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) folders.push_back(at->path());
  }
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

std::string run_id_of(const fs::path& run_folder) {
  const fs::path path = fs::absolute(run_folder).lexically_normal();
  const std::string name = path.filename().string();
  return name.empty() ? path.parent_path().filename().string() : name;
}

void check_resume_folder(const std::string& folder) {
  if (!folder.empty() && !fs::is_directory(folder)) {
    throw ConfigError("--resume", folder + " is not a run's folder");
  }
}

record::Results earlier_results(const std::string& folder) {
  return folder.empty() || was_cut_before_its_first_line(folder)
             ? record::Results{}
             : record::read_results(fs::path{folder});
}

ScratchFolder::ScratchFolder(const std::string& prefix)
    : path_((std::filesystem::temp_directory_path() / (prefix + "-XXXXXX")).string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw ConfigError(path_, "cannot be made: " + std::generic_category().message(errno));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

namespace fs = std::filesystem;

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(*at);
  }
  if (error) throw ConfigError(folder.string(), "cannot be read: " + error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_file(const fs::directory_entry& entry) {
  std::error_code ignored;
  return !entry.is_symlink(ignored) && entry.is_regular_file(ignored);
}

bool is_trace(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

void add_traces(const fs::path& folder, RunFiles& files) {
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const bool trace = is_file(entry) && is_trace(entry.path());
    (trace ? files.traces : files.foreign).push_back(entry.path());
  }
}

// Files of a search in addition to its launches: folders of runs, programs and logs.
bool is_of_search(const std::string& name, bool is_folder) {
  constexpr std::array<std::string_view, 5> kFiles = {"bisect.json", "bisect.log", "tuning.json",
                                                      "tuned.yaml", "own.yaml"};
  constexpr std::array<std::string_view, 9> kFolders = {
      "building", "confirm", "ends", "fresh", "inside", "logs", "programs", "rest", "trees"};
  constexpr std::array<std::string_view, 5> kStems = {"commit-", "copies-", "counts-", "culprit-",
                                                      "ends-"};
  if (!is_folder) return std::ranges::find(kFiles, name) != kFiles.end();
  return std::ranges::find(kFolders, name) != kFolders.end() ||
         std::ranges::any_of(kStems, [&](std::string_view stem) { return name.starts_with(stem); });
}

}  // namespace

bool is_search(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "bisect.json", ignored) ||
         fs::is_regular_file(folder / "tuning.json", ignored);
}

bool is_being_searched(const fs::path& folder) {
  const os::Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.is_open() && ::flock(file.value(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

RunFiles files_of_run(const fs::path& folder) {
  RunFiles files{.search = is_search(folder)};
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (is_file(entry) && record::is_result_file(entry.path())) {
      files.results.push_back(entry.path());
    } else if (is_file(entry) &&
               (name == campaign::kVerdictFile || name == campaign::kExperimentCopy)) {
      files.others.push_back(entry.path());
    } else if (files.search && !entry.is_symlink(ignored) &&
               is_of_search(name, entry.is_directory(ignored))) {
      files.others.push_back(entry.path());
    } else if (name == kCounts && !entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      continue;  // valgrind's output: not copied away from the worker that it names
    } else if (name == kTraces && !entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      add_traces(entry.path(), files);
    } else {
      files.foreign.push_back(entry.path());
    }
  }
  return files;
}

}  // namespace stepbench::campaign
