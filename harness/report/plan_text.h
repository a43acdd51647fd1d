// SPDX-License-Identifier: Apache-2.0
// Plans for people and for scripts: the output of `plan` and of --dry-run of `run`, `ab` and
// `tune`.
#pragma once

#include <string>

#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/probe.h"
#include "harness/campaign/run_ab.h"
#include "harness/plan/plan.h"
#include "harness/tune/tune_plan.h"

namespace stepbench::report {

[[nodiscard]] std::string plan_table(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                     const campaign::Probe* probe = nullptr);
// Name, table of cases, `below`, then excluded and merged points and notes.
[[nodiscard]] std::string plan_table(const plan::Plan& plan, const std::string& below,
                                     const campaign::Probe* probe = nullptr);
[[nodiscard]] std::string plan_json(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                    const campaign::Probe* probe = nullptr);

// `ab --dry-run`: the arms, the pairs of cases, the tests, launches and time.

// Reads earlier runs in the results folder to estimate the time. Throws ConfigError as measuring
// would.
[[nodiscard]] std::string ab_plan_text(const campaign::AbRequest& request,
                                       const campaign::AbArms& arms);

// `tune --dry-run`: the measurements of a search.

// Points, rungs, their cost by earlier results, and whether the budget suffices.
[[nodiscard]] std::string tune_plan_text(const tune::TuneRequest& request,
                                         const tune::TunePlan& planned);

}  // namespace stepbench::report
