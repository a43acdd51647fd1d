// SPDX-License-Identifier: Apache-2.0
// The process that a launcher starts on each rank of a group: it calls the controller, starts the
// worker that it is told to, hands lines on between the two, and ends all that the worker started
// when the worker ends, the connection is closed, or a signal comes. Nothing of a group outlives
// its controller on any machine. Main thread only, no other thread.
#pragma once

#include <string>

#include "harness/fleet/launchers.h"
#include "harness/machine/devices.h"

namespace stepbench::run {

// `build`: of this program; the controller refuses another one. Returns the exit status. Throws
// Error when no controller is named or none answers.
[[nodiscard]] int run_rank(fleet::Launcher launcher, const machine::Variables& variables,
                           const std::string& build);

// The launcher `local`: so many ranks as children of this process. They end with it.
[[nodiscard]] int run_local_ranks(int ranks, const machine::Variables& variables,
                                  const std::string& build);

}  // namespace stepbench::run
