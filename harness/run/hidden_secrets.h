// SPDX-License-Identifier: Apache-2.0
// Removes passwords and tokens from what is recorded of a run: see harness/text/secrets.h. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"

namespace stepbench::run {

// Values of secret variables that are inherited or set by cases of the plan.
[[nodiscard]] std::vector<std::string> secret_values(const plan::Plan& plan,
                                                     const machine::Variables& inherited);

// Options by full name; masks each secret env.NAME, and passwords in URLs.
[[nodiscard]] OptionValues without_secrets(const OptionValues& options);

// Masks secrets in the command line (with that of --on-alert), configuration and context.
void hide_secrets(record::RunRow& row, const std::vector<std::string>& values);

}  // namespace stepbench::run
