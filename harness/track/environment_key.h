// SPDX-License-Identifier: Apache-2.0
// What a launch was measured on and in, sorted by what a change of it means for its series. Pure;
// any thread.
#pragma once

#include "harness/base/value.h"
#include "harness/record/rows.h"

namespace stepbench::track {

struct EnvironmentKey {
  Fields machine = {};  // another one: another series
  Fields cohort = {};   // another one: a new segment of the series
};

// From the environment of its worker, by class_of() of harness/compare, and from the options as
// they were in force. What is read anew every night is in neither; of a kernel's or a
// distribution's version the first two numbers count, of a path its last part.
[[nodiscard]] EnvironmentKey environment_key_of(const record::LaunchRow& launch,
                                                const Fields& environment);

}  // namespace stepbench::track
