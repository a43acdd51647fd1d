// SPDX-License-Identifier: Apache-2.0
// The process that a launcher starts on each rank of a group. It connects to the controller, starts
// the requested worker, relays lines between the two, and ends all that the worker started when the
// worker ends, the connection closes or a signal arrives. No process of a group outlives its
// controller on any machine. Main thread only, no other threads.
#pragma once

#include <string>

#include "harness/fleet/launchers.h"
#include "harness/machine/devices.h"

namespace stepbench::run {

// `build`: of this program; the controller rejects a different one. Returns the exit status. Throws
// Error if the environment names no controller, or it does not answer.
[[nodiscard]] int run_rank(fleet::Launcher launcher, const machine::Variables& variables,
                           const std::string& build);

// The launcher `local`: starts the ranks as children of this process, which end with it.
[[nodiscard]] int run_local_ranks(int ranks, const machine::Variables& variables,
                                  const std::string& build);

}  // namespace stepbench::run
