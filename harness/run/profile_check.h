// SPDX-License-Identifier: Apache-2.0
// Checks whether a profiled launch did the same work as the timed ones, and its overhead. Pure.
#pragma once

#include "harness/record/reader.h"

namespace stepbench::run {

// Above this ratio of profiled to timed step, the profile's shares mislead.
inline constexpr double kMaxPerturbation = 1.25;

// Compares a profiled launch with the timing launches of its case and arm in `finished`. Adds the
// metric profile_overhead, and the flag `perturbed` above kMaxPerturbation. If it computed
// something else, adds the flag `profile_mismatch` and drops its ops. Other launches are unchanged.
void check_profile(record::Launch& profiled, const record::Results& finished);

}  // namespace stepbench::run
