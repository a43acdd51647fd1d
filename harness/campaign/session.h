// SPDX-License-Identifier: Apache-2.0
// Common frame of all commands that measure: signals, locks, clean-up after dead runs, the header,
// the run's folder and its result file. One object at a time, on the program's main thread before
// any other thread exists.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/internal/context.h"
#include "harness/campaign/internal/controller.h"
#include "harness/campaign/internal/device_locks.h"
#include "harness/run/run_header.h"

namespace stepbench::campaign {

class Session {
 public:
  // Makes processes that a worker leaves behind children of this process. A signal ends the
  // campaign in an orderly way. `launching` must outlive the session.
  explicit Session(const Launching& launching);

  // Locks the devices, and removes shared segments and processes of dead runs. Returns false if
  // interrupted while waiting for another run. Throws ConfigError if another run measures and
  // `policy` does not allow it.
  [[nodiscard]] bool begin(const std::set<std::string>& devices, LockPolicy policy);

  // The signal that ended the campaign; nullopt: none.
  [[nodiscard]] std::optional<int> signal() const { return launching_.interrupts.first(); }

  // The header of a result file that is written here and now.
  [[nodiscard]] record::RunRow header(const run::RunFacts& facts) const;

  // Earlier results in the folder of --resume; prints their warnings. Empty for an empty name.
  [[nodiscard]] record::Results resume(const std::string& folder);

  // Returns the resumed folder, or a new one in `results`; puts its id into the header.
  [[nodiscard]] static std::filesystem::path open_folder(const std::string& resume,
                                                         const std::string& results,
                                                         record::RunRow& header);

  // Runs the agenda's launches into a new result file in setup.run_dir while watching the GPUs;
  // appends to `finished`. Fills in the variables, host and devices of `setup`. Throws Error that
  // names the location of the finished rows.
  void measure(RunSetup setup, const record::RunRow& header, const record::ColumnRow& columns,
               const plan::Shard& shard, run::Agenda& agenda, record::Results& finished);

 private:
  const Launching& launching_;
  std::vector<DeviceLock> locks_;
  Fields host_;
};

// "interrupted; go on with --resume FOLDER"
[[nodiscard]] std::string interrupted_text(const std::filesystem::path& run_folder);

}  // namespace stepbench::campaign
