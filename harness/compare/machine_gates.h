// SPDX-License-Identifier: Apache-2.0
// What the machine did to the launches of two arms, and whether it did it to one of them more than
// to the other: then a difference may be the machine's.
#pragma once

#include <span>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/gate.h"
#include "harness/compare/judge.h"

namespace stepbench {

// load (CPU time that others used), steal, throttling and clocks of the GPU may fail where the arms
// differ by more than chance. Waiting for a CPU and a quota that hit only warn: an arm with more
// threads brings them upon itself. Over all cases; in a sequential design, which confirms nothing,
// all of them only warn. Gates that have nothing to say are left out.
[[nodiscard]] std::vector<Gate> machine_gates(std::span<const CasePair> cases, Design design);

}  // namespace stepbench
