// SPDX-License-Identifier: Apache-2.0
#include "harness/track/imported_run.h"

#include <algorithm>
#include <array>
#include <set>

namespace stepbench::track {
namespace {

namespace fs = std::filesystem;

// Context facts that have their own fields in TrackedRun.
constexpr std::array<std::string_view, 6> kOwnFields = {"host",      "git.sha", "git.branch",
                                                        "git.dirty", "worker",  "worker_build_id"};

// The run's relative paths are relative to its own folder, not to ours.
std::string seen_from(const std::string& folder, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute() || folder.empty()) return path;
  return (fs::path(folder) / path).lexically_normal().string();
}

const record::WorkerRow* worker_of(const record::Results& results, const std::string& run_id) {
  for (const record::Launch& launch : results.launches) {
    if (results.runs.at(launch.run).run_id != run_id) continue;
    if (launch.row.key.arm == record::kReferenceArm) continue;
    const auto found = std::find_if(
        results.workers.begin(), results.workers.end(),
        [&](const record::WorkerRow& worker) { return worker.worker_id == launch.row.worker_id; });
    if (found != results.workers.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

TrackedRun tracked_run(const record::Results& results, const std::string& run_id,
                       const fs::path& folder) {
  TrackedRun run;
  for (const record::RunRow& row : results.runs) {
    if (row.run_id != run_id) continue;
    for (const auto& [key, value] : row.labels) run.labels.insert_or_assign(key, value);
    const bool first = run.run_id.empty();
    if (!first && row.started_utc >= run.started_utc) continue;
    run.run_id = run_id;
    run.started_utc = row.started_utc;
    run.experiment = row.name;
    run.host = text_of(row.context, "host");
    run.build_id = text_of(row.context, "worker_build_id");
    run.worker_path = seen_from(row.asked.folder, text_of(row.context, "worker"));
    run.git_sha = text_of(row.context, "git.sha");
    run.git_branch = text_of(row.context, "git.branch");
    run.git_dirty = text_of(row.context, "git.dirty") == "true";
    run.config_path = row.config_path;
    run.config_text = row.config_text;
    run.config_hash = row.config_hash;
    run.plan_digest = row.plan_digest;
    run.asked = row.asked;
    run.context = row.context;
  }
  for (const std::string_view name : kOwnFields) {
    if (const auto found = run.context.find(name); found != run.context.end()) {
      run.context.erase(found);
    }
  }
  run.folder = folder.string();
  if (const record::WorkerRow* worker = worker_of(results, run_id)) {
    run.environment = worker->environment;
    if (run.build_id.empty()) run.build_id = worker->build_id;
    if (run.worker_path.empty()) run.worker_path = seen_from(run.asked.folder, worker->path);
    if (run.host.empty()) run.host = text_of(worker->environment, "host");
  }
  return run;
}

bool is_shard(const record::Results& results, const std::string& run_id) {
  return std::any_of(results.runs.begin(), results.runs.end(), [&](const record::RunRow& row) {
    return row.run_id == run_id && text_of(row.context, "shard", "1of1") != "1of1";
  });
}

}  // namespace stepbench::track
