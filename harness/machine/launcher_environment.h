// SPDX-License-Identifier: Apache-2.0
// The environment that a worker is started with. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// What a worker is started with: inherited minus the deny-list, plus `threads`, plus `env`; later
// ones win.
struct LauncherEnvironment {
  Variables variables;
  std::vector<std::string> removed;  // names that were inherited and taken out
};

[[nodiscard]] LauncherEnvironment launcher_environment(const Variables& inherited,
                                                       const ResolvedCase& resolved);

// Variables that attach a profiler or tracer to every CUDA or torch process: a worker they listen
// to is not timed alone. LD_PRELOAD is not among them: allocators come by it, and it is recorded.
[[nodiscard]] bool is_denied(std::string_view variable);

// The variables that change how fast a step is, as fields "env.NAME". The value of one that
// holds a secret is "***".
[[nodiscard]] Fields relevant_variables(const Variables& variables);

}  // namespace stepbench::machine
