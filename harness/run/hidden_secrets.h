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

// Options by full name, with masked_value() in place of each secret env.NAME, and without passwords
// in URLs.
[[nodiscard]] OptionValues without_secrets(const OptionValues& options);

// Masks secrets in the command line (including the command of --on-alert), the configuration text
// and the context.
void hide_secrets(record::RunRow& row, const std::vector<std::string>& values);

}  // namespace stepbench::run
