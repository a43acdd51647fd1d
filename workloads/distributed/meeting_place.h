// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a group find each other, as their launcher says it in the environment. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stepbench::distributed {

struct MeetingPlace {
  std::string address = {};  // MASTER_ADDR; empty: it did not say
  std::uint16_t port = 0;    // MASTER_PORT; 0: it did not say
  int local_rank = 0;        // among the ranks of this machine
  bool is_hosted = false;    // the launcher listens there itself, as torchrun: no rank has to
};

// `variables`: WorkerContext::variables, null for none. What is no number, or too large a one, was
// not said.
[[nodiscard]] MeetingPlace meeting_place(
    const std::vector<std::pair<std::string, std::string>>* variables);

}  // namespace stepbench::distributed
