// SPDX-License-Identifier: Apache-2.0
// The worker programs of a confirmation: where the build of a night lies now, and copies of
// programs at paths of other lengths, which have another layout of stack and environment in
// memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "harness/run/worker_program.h"
#include "harness/track/history.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

// The first that still is that night's build: a kept one, or the program where the night found it.
// nullopt: none is.
[[nodiscard]] std::optional<run::WorkerProgram> program_of_night(
    const track::TrackedRun& night, std::span<const track::KeptBuild> kept);

// A copy of `program` in `folder`, which is made. What lies beside the program and beside its
// folder is linked to, so that it finds its libraries ($ORIGIN, $ORIGIN/../lib), its modules and
// its plug-ins. Throws ConfigError.
[[nodiscard]] run::WorkerProgram fresh_copy(const run::WorkerProgram& program,
                                            const std::filesystem::path& folder);

// A folder for fresh copies, removed with them. One that is left from a process that died is
// emptied first.
class FreshFolder {
 public:
  explicit FreshFolder(std::filesystem::path path);
  FreshFolder(const FreshFolder&) = delete;
  FreshFolder& operator=(const FreshFolder&) = delete;
  ~FreshFolder();

  struct Places {
    std::filesystem::path good;
    std::filesystem::path tonight;
  };
  // Folders whose paths have lengths that follow from the seed and differ from each other.
  [[nodiscard]] Places places(std::uint64_t seed) const;

 private:
  std::filesystem::path path_;
};

}  // namespace stepbench::campaign
