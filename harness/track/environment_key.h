// SPDX-License-Identifier: Apache-2.0
// The environment of a launch, by what a change means for its series. Pure; any thread.
#pragma once

#include "harness/base/value.h"
#include "harness/record/rows.h"

namespace stepbench::track {

struct EnvironmentKey {
  Fields machine = {};  // a change makes another series
  Fields cohort = {};   // a change begins a new segment of the series
};

// Built from the worker's environment, classified by class_of() of harness/compare, and from the
// options in force. Excludes values that are measured every night. Versions of kernels and
// distributions count by their first two numbers, paths by their last component.
[[nodiscard]] EnvironmentKey environment_key_of(const record::LaunchRow& launch,
                                                const Fields& environment);

}  // namespace stepbench::track
