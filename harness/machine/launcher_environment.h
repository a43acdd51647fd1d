// SPDX-License-Identifier: Apache-2.0
// The environment of a worker process. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// Inherited variables minus the deny-list, plus `threads`, plus `env`; later ones override.
struct LauncherEnvironment {
  Variables variables;
  std::vector<std::string> removed;  // inherited names that were removed
};

[[nodiscard]] LauncherEnvironment launcher_environment(const Variables& inherited,
                                                       const ResolvedCase& resolved);

// Variables that attach a profiler or tracer to every CUDA or torch process, whose overhead would
// be measured too. Excludes LD_PRELOAD: it is used for allocators and is recorded.
[[nodiscard]] bool is_denied(std::string_view variable);

// Variables that affect a step's speed, as fields "env.NAME". Secret values become "***".
[[nodiscard]] Fields relevant_variables(const Variables& variables);

}  // namespace stepbench::machine
