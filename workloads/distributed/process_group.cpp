// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/process_group.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "harness/base/error.h"
#include "workloads/distributed/meeting_place.h"
#include "workloads/distributed/patience.h"

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
  options.isServer = context.rank == 0 && !at.is_hosted;
  options.numWorkers = static_cast<std::size_t>(context.world);
  options.timeout = kPatience;
  membership.store = c10::make_intrusive<c10d::PrefixStore>(
      "stepbench", c10::make_intrusive<c10d::TCPStore>(at.address, options));
  membership.store->setTimeout(kPatience);
  return membership;
}

}  // namespace stepbench::distributed
