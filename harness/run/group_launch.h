// SPDX-License-Identifier: Apache-2.0
// One launch of a group: a launcher starts as many ranks as were asked for, each of which measures
// the case in a fresh worker process. They call back over TCP with a token that only they know. The
// group has one fate: when a rank fails, is killed, hangs or never comes, all are ended and the one
// that was first is named. When this returns, nothing that was started here is left, and ranks on
// other machines have been told to end. Main thread, as run_launch().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/fleet/launchers.h"
#include "harness/run/group_result.h"
#include "harness/run/launch.h"

namespace stepbench::run {

struct GroupRequest {
  LaunchRequest worker;  // what each rank runs; `spawn.environment` is the launcher's, too
  fleet::Launcher launcher = fleet::Launcher::kLocal;
  int ranks = 2;
  std::vector<std::string> launcher_words = {};  // its command line
  std::string bind = "auto";                     // see fleet::listen_for_ranks()
  std::string build = {};                        // of the program that the launcher starts
  machine::Variables set = {};          // what options add to the environment of the launcher
  std::vector<std::string> unset = {};  // what a worker must not inherit there
};

// Throws ConfigError when the launcher cannot be run at all.
[[nodiscard]] GroupResult run_group(const GroupRequest& request, const LaunchContext& context);

}  // namespace stepbench::run
