// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/rank_device.h"

#include <ATen/Context.h>

#include <string>

#include "harness/base/error.h"
#include "workloads/distributed/internal/meeting_place.h"

namespace stepbench::distributed {

int device_of_rank(int local_rank, int devices) {
  if (devices <= 1) return 0;
  if (local_rank < devices) return local_rank;
  throw Error("rank " + std::to_string(local_rank) + " of a machine with " +
              std::to_string(devices) + " CUDA devices, and each rank takes one of its own");
}

void place_rank(ResolvedCase& resolved, const WorkerContext& context) {
  if (resolved.text_or("device", "cpu") != "cuda") return;
  const int devices = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  const int local_rank = meeting_place(context.variables).local_rank;
  resolved.options["device"] = "cuda:" + std::to_string(device_of_rank(local_rank, devices));
}

}  // namespace stepbench::distributed
