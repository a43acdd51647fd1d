// SPDX-License-Identifier: Apache-2.0
// What a campaign uses of the program in which it runs and of this machine. Filled in once by the
// command: nothing in this room reads the environment, prints or decides how a process ends.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/devices.h"
#include "harness/os/file_check.h"
#include "harness/rule.h"

namespace stepbench::campaign {

// The workloads that are linked into this program; all of it outlives the campaign.
struct BuiltInWorkloads {
  const Catalogue& catalogue;
  std::span<const WorkloadRule> rules = {};
  // Whether only a worker can check this case, as one with a plug-in. Null: none is.
  bool (*needs_worker_check)(const ResolvedCase& resolved) = nullptr;
};

struct CampaignContext {
  BuiltInWorkloads built_in;
  std::vector<std::string> argv = {};      // recorded with the results
  machine::Variables variables = {};       // the process environment
  std::filesystem::path program_dir = {};  // the worker is looked for here
  std::string stepbench_version = {};
  machine::Devices devices = {};
  std::vector<os::NamedFile> outputs = {};  // files that will be written, for check_plan_files()
};

}  // namespace stepbench::campaign
