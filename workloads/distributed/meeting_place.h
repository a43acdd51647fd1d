// SPDX-License-Identifier: Apache-2.0
// The rendezvous address of a group's ranks, from their launcher's environment. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stepbench::distributed {

struct MeetingPlace {
  std::string address = {};  // MASTER_ADDR; empty: not set
  std::uint16_t port = 0;    // MASTER_PORT; 0: not set
  int local_rank = 0;        // among the ranks of this machine
  bool agent_hosts_store =
      false;  // the launcher itself listens there, as torchrun does: no rank has to
};

// `variables`: WorkerContext::variables, null for none. Invalid or too large numbers count as not
// set.
[[nodiscard]] MeetingPlace meeting_place(
    const std::vector<std::pair<std::string, std::string>>* variables);

}  // namespace stepbench::distributed
