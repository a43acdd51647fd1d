// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/base/error.h"
#include "harness/record/launch_rows.h"

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

}  // namespace stepbench::campaign
