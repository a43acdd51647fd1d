// SPDX-License-Identifier: Apache-2.0
// A plan for people and for scripts.
#pragma once

#include <string>

#include "harness/campaign/probe.h"
#include "harness/campaign/time_estimate.h"
#include "harness/plan/plan.h"

namespace stepbench::cli {

[[nodiscard]] std::string plan_table(const Plan& plan, const TimeEstimate& estimate,
                                     const Probe* probe = nullptr);
[[nodiscard]] std::string plan_json(const Plan& plan, const TimeEstimate& estimate,
                                    const Probe* probe = nullptr);

}  // namespace stepbench::cli
