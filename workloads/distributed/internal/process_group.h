// SPDX-License-Identifier: Apache-2.0
// The ranks of a launch as a process group of torch's c10d, and the address at which they meet,
// from their launcher's environment variables. The only header that includes c10d: Gloo's and
// NCCL's own headers are confined to one file each. Main thread.
#pragma once

#include <c10/core/Device.h>
#include <chrono>
#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

#include "harness/workload.h"

namespace stepbench::distributed {

struct Membership {
  c10::intrusive_ptr<c10d::Store> store;  // shared by all ranks
  int rank = 0;
  int world = 1;
};

// Waits until all ranks have joined. Throws ConfigError if the launcher gives no rendezvous
// address, c10::Error if ranks are missing after one minute.
[[nodiscard]] Membership meet(const WorkerContext& context);

[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& membership);
// Throws Error in a worker built without CUDA's and NCCL's headers.
[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_nccl(const Membership& membership);

// Gloo between CPUs, NCCL between CUDA devices, in the form that torch's components take.
[[nodiscard]] c10::intrusive_ptr<c10d::ProcessGroup> make_group(const Membership& membership,
                                                                c10::DeviceType device);

// The address at which the ranks of a group meet, from their launcher's environment variables, and
// how long each waits for the others. Pure; any thread.

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
