// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/prune_programs.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "harness/campaign/kept_folder.h"
#include "harness/text/numbers.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) bytes += at->file_size(ignored);
  }
  return bytes;
}

// Which have to go for the limit, in the order in which they do.
void choose_for_limit(PrunedPrograms& report, std::uint64_t limit) {
  std::uint64_t bytes = 0;
  for (const KeptProgram& each : report.programs) bytes += each.removed ? 0 : each.bytes;
  for (const track::KeptFor why :
       {track::KeptFor::kMonthly, track::KeptFor::kWeekly, track::KeptFor::kDaily}) {
    for (KeptProgram& each : report.programs) {
      if (bytes <= limit) return;
      if (each.removed || each.why != why) continue;
      each.removed = true;
      bytes -= each.bytes;
    }
  }
  if (bytes > limit) {
    report.notes.push_back("what open alerts, levels and bridges name takes " +
                           text::byte_text(static_cast<double>(bytes)) +
                           ", more than the limit: it is never removed");
  }
}

// What lies there is not removed with it, whatever the history says.
void forget_foreign(track::TrackStore& store, const ProgramPruning& request,
                    const track::KeptBuild& build, const std::string& why, PrunedPrograms& report) {
  report.notes.push_back(build.worker.parent_path().string() + " " + why +
                         ": it stays as it is, and the history forgets build " + build.build_id);
  if (!request.dry_run) store.forget_build(build.build_id, build.host);
}

void remove_program(track::TrackStore& store, KeptProgram& program, PrunedPrograms& report) {
  const fs::path home = program.build.worker.parent_path();
  std::error_code error;
  fs::remove_all(home, error);
  if (error) {
    report.notes.push_back(home.string() + " cannot be removed: " + error.message());
    program.removed = false;
    return;
  }
  store.forget_build(program.build.build_id, program.build.host);
}

}  // namespace

PrunedPrograms prune_programs(track::TrackStore& store, const ProgramPruning& request) {
  PrunedPrograms report;
  const auto needed =
      track::programs_to_keep(store.runs(), store.events(), request.host, request.now_utc);
  for (track::KeptBuild& build : store.builds()) {
    const fs::path home = build.worker.parent_path();
    if (build.host != request.host) continue;
    if (!request.folder.empty() && home.parent_path() != request.folder) continue;
    if (const std::string why = why_not_ours(build); !why.empty()) {
      forget_foreign(store, request, build, why, report);
      continue;
    }
    KeptProgram program{.build = std::move(build), .bytes = bytes_below(home)};
    const auto known = needed.find(program.build.build_id);
    if (known != needed.end()) program.why = known->second;
    program.removed = !program.why;
    report.bytes_before += program.bytes;
    report.programs.push_back(std::move(program));
  }
  if (request.limit_bytes) choose_for_limit(report, *request.limit_bytes);
  for (KeptProgram& program : report.programs) {
    if (program.removed && !request.dry_run) remove_program(store, program, report);
    report.bytes_after += program.removed ? 0 : program.bytes;
  }
  return report;
}

}  // namespace stepbench::campaign
