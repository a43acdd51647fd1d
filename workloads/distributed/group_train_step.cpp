// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/group_train_step.h"

#include "workloads/distributed/internal/gradient_sync.h"
#include "workloads/step/train_step.h"

namespace stepbench::distributed {
std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  if (context.world == 1) return step::make_train_step(resolved, context);
  return step::make_group_train_step(resolved, context, make_sync);
}

}  // namespace stepbench::distributed
