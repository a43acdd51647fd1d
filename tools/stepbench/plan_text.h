// SPDX-License-Identifier: Apache-2.0
// A plan for people and for scripts.
#pragma once

#include <string>

#include "harness/plan/plan.h"
#include "tools/stepbench/plan_estimate.h"

namespace stepbench::cli {

[[nodiscard]] std::string plan_table(const Plan& plan, const Estimate& estimate);
[[nodiscard]] std::string plan_json(const Plan& plan, const Estimate& estimate);

}  // namespace stepbench::cli
