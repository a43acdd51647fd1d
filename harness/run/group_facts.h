// SPDX-License-Identifier: Apache-2.0
// Derives facts of a group from the launches of all ranks: the group's time and work, which readers
// use for the launch of rank 0, and from the traces the rank that delays the others. Pure.
#pragma once

#include <span>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// `ranks`: one per rank, by number, all measured. `traces`: of a profiled launch.
void add_group_facts(std::span<record::Launch> ranks, std::vector<analyze::RankTrace> traces);

}  // namespace stepbench::run
