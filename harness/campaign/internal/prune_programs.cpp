// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/prune_programs.h"

#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/format.h"
#include "harness/campaign/internal/reference_program.h"
#include "harness/text/time_text.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kBranchLasts{90 * 24};  // without a night

// Builds that are the reference for the next night of some experiment on this host.
std::set<std::string> references(nights::TrackStore& store, std::string_view host,
                                 const std::string& now_utc) {
  std::map<std::string, std::string> newest;  // newest night of each experiment
  for (const nights::TrackedRun& run : store.runs()) {
    if (run.host == host) newest[run.experiment] = run.started_utc;
  }
  const auto now = text::parse_utc(now_utc);
  std::set<std::string> builds;
  for (const auto& [experiment, night_utc] : newest) {
    const auto night = text::parse_utc(night_utc);
    const bool branch = experiment.find('@') != std::string::npos;
    if (branch && now && night && *now - *night > kBranchLasts) continue;
    builds.insert(nights::stored_reference(store, host, experiment).build);
  }
  return builds;
}

}  // namespace

PrunedPrograms prune_programs(nights::TrackStore& store, std::string_view host,
                              const fs::path& keep, const std::string& now_utc, bool dry_run) {
  const std::set<std::string> needed = references(store, host, now_utc);
  const fs::path below = keep.empty() ? keep : fs::absolute(keep).lexically_normal();
  PrunedPrograms pruned;
  for (nights::StoredBuild& build : store.builds()) {
    const fs::path home = build.worker.parent_path();
    if (build.host != host || (!below.empty() && home.parent_path() != below)) continue;
    if (const std::string why = foreign_build_reason(build); !why.empty()) {
      pruned.notes.push_back(formatted("{} {}: left as it is, and the history forgets build {}",
                                       home.string(), why, build.build_id));
      if (!dry_run) store.forget_build(build.build_id, build.host);
      continue;
    }
    StoredProgram program{.build = std::move(build), .bytes = bytes_below(home)};
    program.needed = needed.contains(program.build.build_id);
    program.removed = !program.needed;
    std::error_code error;
    if (program.removed && !dry_run) {
      fs::remove_all(home, error);
      if (error) {
        pruned.notes.push_back(
            formatted("{} cannot be removed: {}", home.string(), error.message()));
        program.removed = false;
      } else {
        store.forget_build(program.build.build_id, program.build.host);
      }
    }
    pruned.bytes_before += program.bytes;
    pruned.bytes_after += program.removed ? 0 : program.bytes;
    pruned.programs.push_back(std::move(program));
  }
  return pruned;
}

}  // namespace stepbench::campaign
