// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/prune.h"

#include <system_error>

#include "harness/base/error.h"
#include "harness/record/writer.h"
#include "harness/runs/run_files.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeftover = ".deleting-";

// Why the run must not be deleted; empty: it may be.
std::string protection_of(const RunSummary& run) {
  std::error_code error;
  if (fs::is_symlink(run.folder, error)) return "is a symbolic link";
  if (!run.broken.empty()) return "is not readable as a run (" + run.broken + ")";
  if (run.state == RunState::kRunning) return "is running";
  if (const auto label = run.labels.find(kKeepLabel); label != run.labels.end()) {
    return "is labelled keep=" + to_text(label->second);
  }
  try {
    const RunFiles files = files_of_run(run.folder);
    if (!files.foreign.empty()) {
      return "holds " + files.foreign.front().filename().string() +
             ", which does not belong to a run";
    }
  } catch (const Error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

PrunePlan plan_prune(std::span<const RunSummary> runs, const PruneRequest& request) {
  PrunePlan plan;
  std::size_t newer = 0;
  for (const RunSummary& run : runs) {
    if (!passes(run, request.filter)) continue;
    const auto time = begun(run);
    const bool is_new = request.keep && newer < *request.keep;
    if (run.broken.empty()) ++newer;
    if (is_new) continue;
    if (request.older_than && (!time || request.now - *time <= *request.older_than)) continue;
    std::string reason = protection_of(run);
    if (reason.empty()) {
      plan.removable.push_back(run);
    } else {
      plan.retained.push_back({run, std::move(reason)});
    }
  }
  return plan;
}

void remove_run(const fs::path& folder) {
  if (record::is_being_written(folder) || is_being_searched(folder))
    throw ConfigError(folder.string(), "is running by now");
  const fs::path removable = folder.parent_path() / (kLeftover + folder.filename().string());
  std::error_code error;
  fs::rename(folder, removable, error);
  if (!error) fs::remove_all(removable, error);
  if (error) throw ConfigError(folder.string(), "cannot be deleted: " + error.message());
}

void remove_leftovers(const fs::path& results) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(results, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool ours = at->path().filename().string().starts_with(kLeftover);
    if (ours && !at->is_symlink(ignored) && at->is_directory(ignored)) {
      leftovers.push_back(at->path());
    }
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
}

}  // namespace stepbench::runs
