// SPDX-License-Identifier: Apache-2.0
// Whether a profiled launch did the same work as the timed ones, and what profiling cost it. Pure.
#pragma once

#include "harness/record/reader.h"

namespace stepbench::run {

// Above this the profiled step is so much slower than the timed one that its shares mislead.
inline constexpr double kMaxPerturbation = 1.25;

// Sets a profiled launch against the timing launches of its case and arm in `finished`: adds the
// metric profile_overhead, the flag `perturbed` above kMaxPerturbation, and the flag
// `profile_mismatch`, without its ops, when it did not compute what they did. Leaves other launches
// alone.
void check_profile(record::Launch& profiled, const record::Results& finished);

}  // namespace stepbench::run
