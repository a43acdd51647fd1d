// SPDX-License-Identifier: Apache-2.0
// Conclusions of `stepbench doctor --ranks` about a group.
#include "harness/campaign/examine_machine.h"

#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

// Two ranks with one thread each.
std::vector<std::string> findings(std::int64_t devices_of_machine, const std::string& cpus,
                                  const std::string& other_cpus) {
  RanksSeen seen;
  for (const auto& [rank, own] : {std::pair(0, cpus), std::pair(1, other_cpus)}) {
    seen.ranks.push_back({.rank = rank,
                          .host = "n1",
                          .cpus = own,
                          .torch_threads = 1,
                          .devices = devices_of_machine});
  }
  std::vector<std::string> ids;
  for (const Finding& finding : diagnose_ranks(seen)) ids.push_back(finding.id);
  return ids;
}

TEST(DiagnoseRanks, DevicesOfTheMachine_AreCountedOnce) {
  EXPECT_THAT(findings(2, "0-1", "0-1"), IsEmpty());
  EXPECT_THAT(findings(1, "0-1", "0-1"), ElementsAre("ranks.few_devices"));
  EXPECT_THAT(findings(0, "0-1", "0-1"), IsEmpty()) << "they train on the CPU";
}

TEST(DiagnoseRanks, SharedCpus_AreCrowdedByTheirThreads) {
  EXPECT_THAT(findings(0, "3", "3"), ElementsAre("ranks.crowded"));
  EXPECT_THAT(findings(0, "3", "4"), IsEmpty());
}

}  // namespace
}  // namespace stepbench::campaign
