// SPDX-License-Identifier: Apache-2.0
// Formats a plan for people and for scripts.
#pragma once

#include <string>

#include "harness/campaign/probe.h"
#include "harness/campaign/time_estimate.h"
#include "harness/plan/plan.h"

namespace stepbench::report {

[[nodiscard]] std::string plan_table(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                     const campaign::Probe* probe = nullptr);
// Name, table of cases, `below`, then excluded and merged points and notes.
[[nodiscard]] std::string plan_table(const plan::Plan& plan, const std::string& below,
                                     const campaign::Probe* probe = nullptr);
[[nodiscard]] std::string plan_json(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                    const campaign::Probe* probe = nullptr);

}  // namespace stepbench::report
