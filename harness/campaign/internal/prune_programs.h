// SPDX-License-Identifier: Apache-2.0
// Removes kept programs that no night needs any more. Main thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/night_store.h"

namespace stepbench::campaign {

struct StoredProgram {
  nights::StoredBuild build = {};
  std::uint64_t bytes = 0;  // size of its folder
  bool needed = false;      // it is the reference of an experiment
  bool removed = false;     // or would be removed (dry run)
};
struct PrunedPrograms {
  std::vector<StoredProgram> programs = {};  // oldest first
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<std::string> notes = {};  // problems with removal
};
// Removes copies of programs on this host that are no longer a reference. A program of a branch
// (nightly@dev) stops being one after 90 days without a night. Folders not made for a program are
// left alone, reported, and dropped from the history. `keep`: only this folder; empty: all.
[[nodiscard]] PrunedPrograms prune_programs(nights::TrackStore& store, std::string_view host,
                                            const std::filesystem::path& keep,
                                            const std::string& now_utc, bool dry_run);

}  // namespace stepbench::campaign
