// SPDX-License-Identifier: Apache-2.0
// One launch of a group: a launcher starts the requested ranks, each of which measures the case in
// a fresh worker process. They connect over TCP with a shared secret token. If a rank fails, is
// killed, hangs or never joins, all ranks are ended and the first cause is reported. On return, no
// local process started here is left, and ranks on other machines have been asked to end. Main
// thread, like run_launch().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/fleet/launchers.h"
#include "harness/run/internal/group_end.h"
#include "harness/run/worker_launch.h"

namespace stepbench::run {

struct GroupRequest {
  LaunchRequest worker;  // run by each rank; `spawn.environment` is also the launcher's
  fleet::Launcher launcher = fleet::Launcher::kLocal;
  int ranks = 2;
  std::vector<std::string> launcher_words = {};  // the launcher's command line
  std::string bind = "auto";                     // see fleet::listen_for_ranks()
  std::string build = {};                        // build id of the program that the launcher starts
  machine::Variables set = {};                   // added to the launcher's environment by options
  std::vector<std::string> unset = {};           // variables that a worker must not inherit
};

// Throws ConfigError if the launcher cannot be run at all.
[[nodiscard]] GroupResult run_group(const GroupRequest& request, const LaunchContext& context);

}  // namespace stepbench::run
