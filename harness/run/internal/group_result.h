// SPDX-License-Identifier: Apache-2.0
// Results of a finished group: one per rank, or one with the failed rank and reason. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/launch_outcome.h"
#include "harness/run/internal/group_ranks.h"
#include "harness/run/internal/worker_launch.h"
#include "harness/run/internal/worker_output.h"

namespace stepbench::run {

struct GroupResult {
  // One result per rank if all were measured; else a single one for the group.
  std::vector<LaunchResult> ranks;
  [[nodiscard]] bool interrupted() const { return ranks.front().interrupted; }
};

struct GroupCause {
  std::optional<int> rank = {};  // nullopt: the launcher, or several ranks
  Outcome outcome = {};
  std::string stage = {};
};

struct GroupEnd {
  const std::vector<std::unique_ptr<GroupRank>>& ranks;  // by rank; null: never joined
  std::string launcher;
  const OutputTail& output;  // the launcher's
  std::int64_t wall_ns = 0;
};

// For a group whose ranks have all sent their final line.
[[nodiscard]] GroupResult measured_group(const GroupEnd& end);
// `stacks_asked`: each rank was asked for its stack, which may identify the one that hangs.
[[nodiscard]] GroupResult failed_group(const GroupEnd& end, GroupCause cause, bool stacks_asked);
[[nodiscard]] GroupResult interrupted_group(const GroupEnd& end);

// Sets the flags of each rank's machine. A group is as doubtful as its worst rank, so the worst
// values go into the row of rank 0.
void label_group(std::vector<LaunchResult>& ranks);

}  // namespace stepbench::run
