// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/group_train_step.h"

#include "workloads/distributed/gradient_sync.h"
#include "workloads/distributed/rank_device.h"
#include "workloads/step/train_step.h"

namespace stepbench::distributed {
std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  if (context.world == 1) return step::make_train_step(resolved, context);
  ResolvedCase of_rank = resolved;
  of_rank.options["device"] = device_of_rank(c10::Device(resolved.text("device")), context).str();
  return step::make_group_train_step(of_rank, context, make_sync);
}

}  // namespace stepbench::distributed
