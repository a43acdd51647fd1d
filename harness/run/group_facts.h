// SPDX-License-Identifier: Apache-2.0
// What the launches of all ranks say together: the time of the group and its work, which readers
// take for those of the launch of rank 0, and from their traces who holds the others up. Pure.
#pragma once

#include <span>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// `ranks`: one for each rank, by number, all measured. `traces`: of a profiled launch.
void add_group_facts(std::span<record::Launch> ranks, std::vector<analyze::RankTrace> traces);

}  // namespace stepbench::run
