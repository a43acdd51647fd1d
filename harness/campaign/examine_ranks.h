// SPDX-License-Identifier: Apache-2.0
// Tests a launcher and whether its ranks reach each other: starts a group of small Python programs
// that meet at a barrier and all-reduce a tensor. Main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/findings/finding.h"
#include "harness/run/interrupts.h"

namespace stepbench::campaign {

struct RanksRequest {
  int ranks = 2;
  std::string launcher = "local";
  std::string launcher_args = {};
  std::string interpreter = {};  // empty: the one used for scripts
  double join_s = 60;
};

struct RankSeen {
  int rank = 0;
  std::string host = {};
  std::string local_rank = {};
  std::string cpus = {};         // CPUs that it may use: "0-3,8"
  std::string omp_threads = {};  // empty: not set
  std::optional<std::int64_t> torch_threads = {};
  std::int64_t devices = 0;  // of its machine, as seen by the torch of all its ranks
};

struct RanksSeen {
  std::string failed = {};  // why there is no group; if set, only `output` may be set, too
  std::string output = {};  // output of what failed
  bool interrupted = false;
  std::string address = {};  // rendezvous address of rank 0: "10.0.0.1:29500"
  std::string backend = {};  // empty: torch is missing
  std::string missing = {};  // why nothing was exchanged
  double start_ns = 0;       // lifetime of the whole group
  std::optional<double> barrier_ns = {};
  std::optional<double> all_reduce_ns = {};  // 1 MiB; both times are the slowest rank's
  std::vector<RankSeen> ranks = {};
};

[[nodiscard]] RanksSeen examine_ranks(const RanksRequest& request, const CampaignContext& context,
                                      run::Interrupts& interrupts, const Clock& clock);

// Finds causes that make such a group slow. Pure.
[[nodiscard]] std::vector<Finding> diagnose_ranks(const RanksSeen& seen);

}  // namespace stepbench::campaign
