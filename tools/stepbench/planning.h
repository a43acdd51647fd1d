// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct Planned {
  Catalogue catalogue;
  Plan plan;
};

// A plan with the built-in workloads or, when `worker` names another program than our own, with
// that one's catalogue and rules. Fills in what the request needs to know of this machine.
[[nodiscard]] Planned make_plan_here(PlanRequest request,
                                     const std::optional<WorkerProgram>& worker,
                                     const Devices& devices, const Environment& environment);

}  // namespace stepbench::cli
