// SPDX-License-Identifier: Apache-2.0
// What every command that measures does around its launches: signals, locks, what dead runs left
// behind, the header, the run's folder and its result file. One object at a time, on the program's
// main thread before any other thread exists.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/campaign/device_locks.h"
#include "harness/run/controller.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

class Session {
 public:
  // From here on what a worker leaves behind becomes our child. A signal that `interrupts` takes
  // ends the campaign in order. All arguments outlive the session.
  Session(const CampaignContext& context, run::Progress& progress, run::Interrupts& interrupts,
          const Clock& clock);

  // Locks the devices, and removes shared segments and ends processes of runs that are dead. False
  // if interrupted while waiting for another run. Throws ConfigError when another run measures and
  // `policy` refuses.
  [[nodiscard]] bool begin(const std::set<std::string>& devices, LockPolicy policy);

  // The signal that ended the campaign; nullopt: none did.
  [[nodiscard]] std::optional<int> signal() const { return interrupts_.first(); }

  // How a result file begins that is written here and now.
  struct HeaderFacts {
    const plan::Plan& plan;
    const Catalogue& catalogue;
    const run::WorkerProgram& worker;
    plan::Shard shard = {};
    bool smoke = false;
    std::string wrap = {};
    record::CommandLine asked = {};
  };
  [[nodiscard]] record::RunRow header(const HeaderFacts& facts) const;

  // What was measured before in the folder of --resume; its warnings are said. Empty results for
  // an empty name.
  [[nodiscard]] record::Results resume(const std::string& folder);

  // The folder to go on with or else a new one in `results`; puts its id into the header.
  [[nodiscard]] static std::filesystem::path open_folder(const std::string& resume,
                                                         const std::string& results,
                                                         record::RunRow& header);

  // Launches what `agenda` asks for into a new result file in setup.run_dir, and watches the GPUs
  // meanwhile; adds to `finished`. `setup` needs no variables, host and devices. Throws Error that
  // tells where the finished rows are.
  void measure(run::RunSetup setup, const record::RunRow& header, const record::ColumnRow& columns,
               const plan::Shard& shard, run::Agenda& agenda, record::Results& finished);

 private:
  const CampaignContext& context_;
  run::Progress& progress_;
  const Clock& clock_;
  run::Interrupts& interrupts_;
  std::vector<run::DeviceLock> locks_;
  Fields host_;
};

// "interrupted; go on with --resume FOLDER"
[[nodiscard]] std::string interrupted_text(const std::filesystem::path& run_folder);

}  // namespace stepbench::campaign
