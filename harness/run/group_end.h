// SPDX-License-Identifier: Apache-2.0
// What a group that is over has to show: a result for each rank, or one that says which rank
// failed, and how. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/outcome.h"
#include "harness/run/group_rank.h"
#include "harness/run/group_result.h"
#include "harness/run/output.h"

namespace stepbench::run {

struct GroupCause {
  std::optional<int> rank = {};  // nothing: of the launcher, or several
  Outcome outcome = {};
  std::string stage = {};
};

struct GroupEnd {
  const std::vector<std::unique_ptr<GroupRank>>& ranks;  // by number; null: did not come
  std::string launcher;
  const OutputTail& output;  // of the launcher
  std::int64_t wall_ns = 0;
};

// All ranks have said their last line.
[[nodiscard]] GroupResult measured_group(const GroupEnd& end);
// `stacks_asked`: each rank was asked where it stands, which may tell who hangs.
[[nodiscard]] GroupResult failed_group(const GroupEnd& end, GroupCause cause, bool stacks_asked);
[[nodiscard]] GroupResult interrupted_group(const GroupEnd& end);

// The flags of each rank's machine. A group is as doubtful as its worst rank: what that one met
// stands in the row of rank 0.
void label_group(std::vector<LaunchResult>& ranks);

}  // namespace stepbench::run
