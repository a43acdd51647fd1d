// SPDX-License-Identifier: Apache-2.0
// Takes passwords and tokens out of what is recorded of a run: see harness/text/secrets.h. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"

namespace stepbench::run {

// The values of secret variables that cases of the plan set, and of those that are inherited.
[[nodiscard]] std::vector<std::string> secret_values(const plan::Plan& plan,
                                                     const machine::Variables& inherited);

// Options by full name, with masked_value() for that of each env.NAME that is a secret, and without
// the passwords of URLs.
[[nodiscard]] OptionValues without_secrets(const OptionValues& options);

// In the command line, of which the command of --on-alert is one; the configuration's text and the
// context.
void hide_secrets(record::RunRow& row, const std::vector<std::string>& values);

}  // namespace stepbench::run
