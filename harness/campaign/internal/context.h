// SPDX-License-Identifier: Apache-2.0
// A campaign's view of its program and machine. Filled in once by the command: nothing in
// harness/campaign reads the environment, prints, or decides how the process ends.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/catalogue/catalogue.h"
#include "harness/machine/environment.h"
#include "harness/os/files.h"
#include "harness/rule.h"
#include "harness/run/terminal.h"

namespace stepbench::campaign {

// Workloads linked into this program; everything outlives the campaign.
struct BuiltInWorkloads {
  const Catalogue& catalogue;
  std::span<const WorkloadRule> rules = {};
  // Returns whether only a worker can check the case, e.g. one with a plug-in. Null: none.
  bool (*needs_worker_check)(const ResolvedCase& resolved) = nullptr;
};

struct CampaignContext {
  BuiltInWorkloads built_in;
  std::vector<std::string> argv = {};      // recorded with the results
  machine::Variables variables = {};       // the process environment
  std::filesystem::path program_dir = {};  // searched for the worker
  std::string stepbench_version = {};
  machine::Devices devices = {};
  std::vector<os::NamedFile> outputs = {};  // files that will be written, for check_plan_files()
};

// What launches need: all that is in it must outlive them. Progress is printed to `progress`, a
// signal that `interrupts` takes ends the launches in an orderly way, `clock` times them.
struct Launching {
  const CampaignContext& context;
  run::Progress& progress;
  run::Interrupts& interrupts;
  const Clock& clock;
};

}  // namespace stepbench::campaign
