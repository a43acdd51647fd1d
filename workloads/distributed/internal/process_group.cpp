// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/internal/process_group.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "harness/base/error.h"
#include "workloads/distributed/internal/meeting_place.h"

namespace stepbench::distributed {

Membership meet(const WorkerContext& context) {
  Membership membership{.store = {}, .rank = context.rank, .world = context.world};
  if (context.world == 1) {
    membership.store = c10::make_intrusive<c10d::HashStore>();
    return membership;
  }
  const MeetingPlace at = meeting_place(context.variables);
  if (at.address.empty() || at.port == 0) {
    throw ConfigError("distributed.ranks",
                      "MASTER_ADDR and MASTER_PORT do not say where the ranks meet");
  }
  c10d::TCPStoreOptions options;
  options.port = at.port;
  options.isServer = context.rank == 0 && !at.agent_hosts_store;
  options.numWorkers = static_cast<std::size_t>(context.world);
  options.timeout = kPatience;
  membership.store = c10::make_intrusive<c10d::PrefixStore>(
      "stepbench", c10::make_intrusive<c10d::TCPStore>(at.address, options));
  membership.store->setTimeout(kPatience);
  return membership;
}

c10::intrusive_ptr<c10d::ProcessGroup> make_group(const Membership& membership,
                                                  c10::DeviceType device) {
  using c10d::ProcessGroup;
  const bool on_cpu = device == c10::DeviceType::CPU;
  const auto type = on_cpu ? ProcessGroup::BackendType::GLOO : ProcessGroup::BackendType::NCCL;
  auto group =
      c10::make_intrusive<ProcessGroup>(membership.store, membership.rank, membership.world);
  group->setBackend(device, type, on_cpu ? make_gloo(membership) : make_nccl(membership));
  group->setDefaultBackend(type);
  group->setGroupName("stepbench");
  return group;
}

}  // namespace stepbench::distributed
