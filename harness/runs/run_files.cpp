// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_files.h"

#include <algorithm>
#include <system_error>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/record/launch_rows.h"

namespace stepbench::runs {
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

}  // namespace

RunFiles files_of_run(const fs::path& folder) {
  RunFiles files;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (is_file(entry) && record::is_result_file(entry.path())) {
      files.results.push_back(entry.path());
    } else if (is_file(entry) &&
               (name == campaign::kVerdictFile || name == campaign::kExperimentCopy)) {
      files.others.push_back(entry.path());
    } else if (name == kCounts && !entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      continue;  // what valgrind wrote; it stays where the worker is that it names
    } else if (name == kTraces && !entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      add_traces(entry.path(), files);
    } else {
      files.foreign.push_back(entry.path());
    }
  }
  return files;
}

}  // namespace stepbench::runs
