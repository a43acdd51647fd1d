// SPDX-License-Identifier: Apache-2.0
// Takes away kept worker programs that nobody needs any more, see kept_programs.h, and those that a
// limit in bytes has no room for. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/track/kept_programs.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct ProgramPruning {
  std::string host = {};     // whose programs
  std::string now_utc = {};  // 2026-01-31T12:00:00Z
  // Only programs below this folder; empty: wherever they were kept.
  std::filesystem::path folder = {};
  std::optional<std::uint64_t> limit_bytes = {};  // of all that stay
  bool dry_run = false;
};

struct KeptProgram {
  track::KeptBuild build = {};
  std::optional<track::KeptFor> why = {};  // nothing: no longer needed
  std::uint64_t bytes = 0;                 // of its folder
  bool removed = false;                    // or would be
};

struct PrunedPrograms {
  std::vector<KeptProgram> programs = {};  // the oldest first
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<std::string> notes = {};  // what could not be removed, a limit that cannot be met
};

// What is no folder of a kept program is left as it is, told, and forgotten by the history. Over
// the limit monthly ones go first, then weekly, then daily, of each the oldest; those that
// something names never.
[[nodiscard]] PrunedPrograms prune_programs(track::TrackStore& store,
                                            const ProgramPruning& request);

}  // namespace stepbench::campaign
