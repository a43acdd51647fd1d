// SPDX-License-Identifier: Apache-2.0
// The program of a night, as it is kept to be the reference of later ones: an executable with the
// files beside it that it names, or a Python script with the tracked files of its folder. Copies
// lie in KEEP/BUILD/. A history says where, and may be damaged or somebody else's: what is started
// or removed is looked at first. One thread; runs git.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/run_experiment.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

inline constexpr std::uintmax_t kMostScriptBytes = std::uintmax_t{10} << 20;  // of all its files

struct NightProgram {
  std::string build = {};                         // digest of all that is kept
  std::filesystem::path program = {};             // absolute; of a script that one
  std::vector<std::filesystem::path> files = {};  // beside it, relative to its folder
  std::string why_not = {};                       // a sentence: it cannot be kept
  std::vector<std::string> notes = {};            // what it may need and is not kept with it
  // Of a script: the one Python that measures all of its cases, which is part of the build. A copy
  // of the script remembers where it is; it is not copied.
  std::string interpreter = {};
  bool is_script = false;
};
// `run` was planned with a worker; `variables`: of this process.
[[nodiscard]] NightProgram night_program(const PlannedRun& run,
                                         const machine::Variables& variables = {});

// Copies the program to KEEP/BUILD/ and tells the history, unless it is there and whole. A link
// would not do: whoever writes the next build over the program would change it too. Nothing
// half-made is seen under the name of the build. A sentence where it cannot be kept; empty: it is.
[[nodiscard]] std::string keep_program(track::TrackStore& store, const NightProgram& program,
                                       const std::filesystem::path& keep, std::string_view host,
                                       const std::string& now_utc);

// Where that build lies on this host: a copy that is whole, or the program at its own place as long
// as that is the build. nullopt: nowhere any more.
[[nodiscard]] std::optional<std::filesystem::path> find_program(track::TrackStore& store,
                                                                const std::string& build,
                                                                std::string_view host,
                                                                const track::TrackedRun* run);

struct KeptInterpreter {
  std::string path = {};  // empty: the program is no script, or it was kept without one
  bool is_there = false;
};
// That a kept script was measured with.
[[nodiscard]] KeptInterpreter kept_interpreter(const std::filesystem::path& program);

struct KeptProgram {
  track::KeptBuild build = {};
  std::uint64_t bytes = 0;  // of its folder
  bool needed = false;      // it is the reference of an experiment
  bool removed = false;     // or would be
};
struct PrunedPrograms {
  std::vector<KeptProgram> programs = {};  // the oldest first
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::vector<std::string> notes = {};  // what could not be removed
};
// Takes away copies on this host that are no reference any more. That of a branch (nightly@dev)
// without a night for 90 days is none. What is no folder of a kept program is left as it is, told,
// and forgotten by the history. `keep`: only below this folder; empty: wherever they were kept.
[[nodiscard]] PrunedPrograms prune_programs(track::TrackStore& store, std::string_view host,
                                            const std::filesystem::path& keep,
                                            const std::string& now_utc, bool dry_run);

}  // namespace stepbench::campaign
