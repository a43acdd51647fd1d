// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/internal/process_group.h"

#include <limits>
#include <string_view>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "harness/base/error.h"
#include "harness/machine/environment.h"
#include "harness/os/text_file.h"

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

namespace {

constexpr int kMaxRanks = 1 << 20;

int number_of(const machine::Variables& variables, std::string_view name, int most) {
  const auto number = os::parse_integer(machine::find_variable(variables, name).value_or(""));
  return number && *number >= 0 && *number <= most ? static_cast<int>(*number) : 0;
}

}  // namespace

MeetingPlace meeting_place(const machine::Variables* variables) {
  if (variables == nullptr) return {};
  return {.address = std::string(machine::find_variable(*variables, "MASTER_ADDR").value_or("")),
          .port = static_cast<std::uint16_t>(
              number_of(*variables, "MASTER_PORT", std::numeric_limits<std::uint16_t>::max())),
          .local_rank = number_of(*variables, "LOCAL_RANK", kMaxRanks),
          .agent_hosts_store =
              machine::find_variable(*variables, "TORCHELASTIC_USE_AGENT_STORE") == "True"};
}

}  // namespace stepbench::distributed
