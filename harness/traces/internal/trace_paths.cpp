// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/files.h"
#include "harness/traces/trace_files.h"

namespace stepbench::traces {
namespace {

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".sqlite");
}

// Returns the traces in a folder, or those of the run if it is a run's folder.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder,
                                             const std::string& case_id) {
  const std::filesystem::path of_run = folder / "traces";
  const bool is_run = std::filesystem::is_directory(of_run);
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(is_run ? of_run : folder)) {
    if (!entry.is_regular_file() || !is_trace_name(entry.path())) continue;
    if (!case_id.empty() && !entry.path().filename().string().starts_with(case_id)) continue;
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  const bool has_results =
      std::any_of(std::filesystem::directory_iterator(folder),
                  std::filesystem::directory_iterator(), [](const auto& entry) {
                    return entry.path().filename().string().find(".jsonl") != std::string::npos;
                  });
  if (!case_id.empty() && is_run) {
    throw ConfigError("--case",
                      formatted("no trace in {} begins with '{}'", of_run.string(), case_id));
  }
  throw ConfigError(folder.string(),
                    has_results ? "this run has no traces; `stepbench run FILE --profile --set "
                                  "profile.trace=true` writes them"
                                : "no trace (*.json, *.json.gz, *.sqlite) in this folder");
}

}  // namespace

std::vector<std::filesystem::path> trace_paths(const std::vector<std::string>& paths,
                                               const std::string& case_id) {
  std::vector<std::filesystem::path> traces;
  for (const std::string& text : paths) {
    const std::filesystem::path path = text;
    if (!std::filesystem::exists(path)) {
      throw ConfigError(
          text, os::why_absent(path, "no such file or folder" + os::similar_file_hint(path)));
    }
    if (!std::filesystem::is_directory(path)) {
      traces.push_back(path);
      continue;
    }
    const auto found = traces_in(path, case_id);
    traces.insert(traces.end(), found.begin(), found.end());
  }
  return traces;
}

}  // namespace stepbench::traces
