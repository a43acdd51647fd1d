// SPDX-License-Identifier: Apache-2.0
// The address at which the ranks of a group meet, from their launcher's environment variables, and
// how long each waits for the others. Pure; any thread.
#pragma once

#include <chrono>
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

// How long a rank waits for the others to join, and in a collective.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

}  // namespace stepbench::distributed
